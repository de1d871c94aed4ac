/**
 * Noise writes the length of a message and the message as two pieces, and TCP sends each by itself, so that both sides
 * are woken twice for it. Here they go to the connection as one.
 */
import { noise } from "@chainsafe/libp2p-noise";
import type { MessageStream } from "@libp2p/interface";

export function wholeNoise(): ReturnType<typeof noise> {
  const make = noise();
  return (components) => {
    const encrypter = make(components);
    const { secureInbound, secureOutbound } = encrypter;
    encrypter.secureInbound = (connection, options) => secureInbound.call(encrypter, whole(connection), options);
    encrypter.secureOutbound = (connection, options) => secureOutbound.call(encrypter, whole(connection), options);
    return encrypter;
  };
}

function whole<Stream extends MessageStream>(connection: Stream): Stream {
  const send = connection.send.bind(connection);
  connection.send = (data) => send(data instanceof Uint8Array ? data : data.subarray());
  return connection;
}

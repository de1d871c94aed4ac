/**
 * yamux, made unable to end the process, and with fewer writes (frame-gatherer.ts). Its muxer throws when the connection
 * under it has closed, and does so in microtasks and in event listeners, where nobody can catch it: a peer that connects
 * and hangs up at the right moment ends the node (seen with version 8.0.1). Here such a write counts as one that the
 * connection has no room for; the end of the connection then closes the streams, as it does anyway.
 */
import { yamux } from "@chainsafe/libp2p-yamux";
import type { StreamMuxerFactory } from "@libp2p/interface";
import { FrameGatherer } from "./frame-gatherer.ts";
import { MAX_STREAMS } from "./limits.ts";

export function safeYamux(): () => StreamMuxerFactory {
  const makeFactory = yamux({ maxInboundStreams: MAX_STREAMS, maxOutboundStreams: MAX_STREAMS });
  return () => {
    const factory = makeFactory();
    const create = factory.createStreamMuxer.bind(factory);
    factory.createStreamMuxer = (connection) => {
      const muxer = create(connection);
      const send = muxer.send.bind(muxer);
      const gatherer = new FrameGatherer({
        write: (frames) => {
          try {
            return send(frames);
          } catch (error) {
            connection.abort(error instanceof Error ? error : new Error(String(error)));
            return false;
          }
        },
        later: (flush) => process.nextTick(flush),
      });
      muxer.send = (frame) => gatherer.send(frame instanceof Uint8Array ? frame : frame.subarray());
      return muxer;
    };
    return factory;
  };
}

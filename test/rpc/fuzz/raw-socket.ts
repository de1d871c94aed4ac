/** A connection on which any bytes are written, and what comes back until the other side closes. */
import { connect } from "node:net";

/** Whoever has not closed by then hangs. */
const PATIENCE = 30_000;
/** Milliseconds for an answer to begin before we hang up; none need come. */
const LINGER = 30;

/** Writes the pieces one after the other and hangs up, at once or later; resolves when the server has, too. */
export async function exchange(port: number, pieces: readonly Uint8Array[], lingers: boolean): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    const hung = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the server does not hang up within ${PATIENCE} ms`));
    }, PATIENCE);
    socket.on("data", (chunk) => received.push(chunk));
    // A server that refuses the rest resets the connection.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(hung);
      resolve(Buffer.concat(received));
    });
    socket.on("connect", () => {
      for (const piece of pieces) socket.write(piece);
      if (lingers) setTimeout(() => socket.end(), LINGER);
      else socket.end();
    });
  });
}

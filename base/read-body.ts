/**
 * Bodies of answers, read until a signal. That `fetch` has the signal too is not enough: Node.js 20 forgets it when the
 * headers have come and memory is collected (seen in 20.20), and then who sends a byte now and then holds the reader for ever.
 */
const FIRST_BYTES = 65_536;

type Body = ReadableStream<Uint8Array>;

/** The pieces as they come. Throws the signal's reason. Whoever leaves early ends the connection. */
export async function* bodyPieces(body: Body, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const cancel = (): Promise<void> => reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", cancel);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    await cancel();
  }
}

/** All of it, or `undefined` if it is longer than `most` bytes. Throws the signal's reason. */
export async function readBody(body: Body | null, most: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array();
  // Grown, not a list of pieces: those may be of one byte each.
  let bytes = new Uint8Array(FIRST_BYTES);
  let length = 0;
  for await (const piece of bodyPieces(body, signal)) {
    const end = length + piece.length;
    if (end > most) return undefined;
    if (end > bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * bytes.length));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(piece, length);
    length = end;
  }
  return bytes.slice(0, length);
}

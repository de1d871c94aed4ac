/** What copying bytes from file to file costs when each piece is hashed: nothing that checks anything can do better. */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

const PIECE = 512 * 1024;

export async function writeSample(path: string, bytes: number): Promise<void> {
  const file = await open(path, "w");
  const piece = new Uint8Array(PIECE).map((_, i) => i * 31);
  for (let done = 0; done < bytes; done += PIECE) await file.write(piece, 0, Math.min(PIECE, bytes - done));
  await file.close();
}

/** The number of bytes. */
export async function copyHashed(from: string, to: string): Promise<number> {
  const input = await open(from, "r");
  const output = await open(to, "w");
  const piece = new Uint8Array(PIECE);
  let total = 0;
  for (;;) {
    const { bytesRead } = await input.read(piece, 0, PIECE);
    if (bytesRead === 0) break;
    createHash("sha256").update(piece.subarray(0, bytesRead)).digest();
    await output.write(piece, 0, bytesRead);
    total += bytesRead;
  }
  await Promise.all([input.close(), output.close()]);
  return total;
}

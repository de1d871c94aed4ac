/** What seats compare: one hash that says what a tile is, with nothing of it that could be copied before it is opened. */
import { utf8 } from "../../base/bytes.ts";
import { encodeRlp, rlpOfInteger } from "../../base/rlp.ts";
import { sha256 } from "../../base/sha256.ts";

/** What somebody found a tile to be: the content address of its bytes in each buffer that the launch writes, or a trap. */
export type TileFinding =
  | { readonly kind: "done"; readonly addresses: ReadonlyMap<number, Uint8Array> }
  | { readonly kind: "trap" };

/** Of whoever could not get what the tile is computed from. */
export const UNAVAILABLE: Uint8Array = sha256(utf8("OpenGPU/UNAVAILABLE"));

/** SHA-256 of RLP ["OpenGPU/TILE", launch, tile, 0, [[buffer, address]...]], buffers ascending, or [..., launch, tile, 1]. */
export function tileDigest(launch: number, tile: number, finding: TileFinding): Uint8Array {
  const number = (value: number): Uint8Array => rlpOfInteger(BigInt(value));
  const place = [utf8("OpenGPU/TILE"), number(launch), number(tile)];
  if (finding.kind === "trap") return sha256(encodeRlp([...place, number(1)]));
  const addresses = [...finding.addresses].sort(([a], [b]) => a - b);
  return sha256(encodeRlp([...place, number(0), addresses.map(([buffer, address]) => [number(buffer), address])]));
}

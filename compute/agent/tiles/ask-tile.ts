/** How a seat asks a worker for the inputs of its tile, over HTTP. docs/blobs.md, "Inputs of a tile". */
import { bytesToHex, type Hex, hexToBytes, utf8 } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import { readBody } from "../../../base/read-body.ts";
import { encodeRlp, rlpOfInteger } from "../../../base/rlp.ts";
import { recoverAddress } from "../../../base/secp256k1.ts";
import { sha256 } from "../../../base/sha256.ts";
import type { DrawnPlace } from "../../program/draw-place.ts";
import { baseUrl } from "../blobs/fetch-blob.ts";
import { agentError } from "../errors.ts";
import { TILE_LIMITS } from "../limits.ts";
import type { Web } from "../web.ts";

export const SIGNATURE_HEADER = "x-ogpu-signature";

/** What the asker signs: it is good for reading the inputs of this one tile, and for nothing else. */
export function tileRequestDigest(round: bigint, { launch, tile }: DrawnPlace): Uint8Array {
  const place = [round, BigInt(launch), BigInt(tile)].map(rlpOfInteger);
  return sha256(encodeRlp([utf8("OpenGPU/TILE-REQUEST"), ...place]));
}

/** Who signed; undefined for text that is no signature. */
export function signerOf(digest: Uint8Array, signature: string | undefined): Hex | undefined {
  if (signature === undefined || !/^0x[0-9a-f]{128}0[01]$/.test(signature)) return undefined;
  const bytes = hexToBytes(signature);
  const parity = bytes[64] === 1 ? 1 : 0;
  const address = recoverAddress(digest, bytes.subarray(0, 32), bytes.subarray(32, 64), parity);
  return address && bytesToHex(address);
}

export function tilePath(round: bigint, { launch, tile }: DrawnPlace): string {
  return `/rounds/${round}/tiles/${launch}-${tile}`;
}

/** The answer as it came, at most as long as answers are. Rejects with the worker's code, or with TILE_ABSENT. */
export async function askTile(
  endpoint: string,
  round: bigint,
  place: DrawnPlace,
  sign: (digest: Uint8Array) => Promise<Uint8Array>,
  web: Web,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const signature = bytesToHex(await sign(tileRequestDigest(round, place)));
  const url = `${baseUrl(endpoint)}${tilePath(round, place)}`;
  const response = await web(url, { headers: { [SIGNATURE_HEADER]: signature }, signal });
  const most = response.status === 200 ? TILE_LIMITS.answerBytes : 4_096;
  const body = await readBody(response.body, most, signal);
  if (body === undefined) throw agentError("TILE_MALFORMED", `the worker sends more than ${most} bytes`);
  if (response.status === 200) return body;
  throw errorIn(body) ?? agentError("TILE_ABSENT", `the worker answers ${response.status}`);
}

function errorIn(body: Uint8Array): CodedError | undefined {
  try {
    const { error } = JSON.parse(new TextDecoder().decode(body)) as { error?: { code?: unknown; message?: unknown } };
    const { code, message } = error ?? {};
    if (typeof code !== "string" || !/^[A-Z_]{1,40}$/.test(code) || typeof message !== "string") return undefined;
    return new CodedError(code, message.slice(0, 200));
  } catch {
    return undefined;
  }
}

/** Files of the reader's machine, with their content addresses. */
import { bytesToHex, type Hex } from "viem";
import { contentAddress } from "../../../compute/program/merkle.ts";
import { formatBytes } from "../../format/hex.ts";

export interface ContentFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly address: Hex;
}

/** An encoded program, with the files for its inputs as far as they were chosen with it. */
export interface ProgramFile extends ContentFile {
  readonly inputs: readonly (ContentFile | undefined)[];
  /** Weights and the like, which the program names by their addresses. */
  readonly constants: readonly ContentFile[];
}

/** Hashed on the page's own thread, so it must not take seconds. */
export const MAX_FILE_BYTES: number = 32 * 1024 * 1024;

export async function readContent(file: File): Promise<ContentFile | string> {
  if (file.size > MAX_FILE_BYTES)
    return `${file.name} has ${formatBytes(file.size)}; this page takes up to ${formatBytes(MAX_FILE_BYTES)}.`;
  if (file.size === 0) return `${file.name} is empty.`;
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { name: file.name, bytes, address: bytesToHex(contentAddress(bytes)) };
}

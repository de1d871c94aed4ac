/** Which block may follow. */
import { equalBytes } from "../../base/bytes.ts";
import type { BlockHeader } from "../blocks/header.ts";
import type { StoredHeader } from "./block-records.ts";

/** Whether the header is that of the block after `head`, or of genesis where there is no head. */
export function isNext(header: BlockHeader, head: StoredHeader | undefined): boolean {
  if (head === undefined) return header.number === 0n;
  return header.number === head.header.number + 1n && equalBytes(header.parentHash, head.hash);
}

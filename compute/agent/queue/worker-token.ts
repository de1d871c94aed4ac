/** How an agent knows the blobs of its own workers from those of strangers: by a word that only they share. */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { utf8 } from "../../../base/bytes.ts";
import { sha256 } from "../../../base/sha256.ts";
import { OPERATOR } from "../blobs/blob-store.ts";

/** For `BlobServiceOptions.ownerOf`: workers are the operator, everybody else is its network address. */
export function ownerByToken(token: string): (request: IncomingMessage) => string {
  // Hashes have one length, and comparing them tells nothing about the word.
  const expected = sha256(utf8(`Bearer ${token}`));
  return ({ headers, socket }) => {
    const given = sha256(utf8(headers.authorization ?? ""));
    return timingSafeEqual(given, expected) ? OPERATOR : `ip:${socket.remoteAddress ?? ""}`;
  };
}

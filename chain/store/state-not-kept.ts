import { storeError } from "./errors.ts";

export function stateNotKept(number: number): Error {
  return storeError("STORE_NO_ARCHIVE", `the state at block ${number} is not kept by this node`, {
    number,
    hint: "Ask a node that was started with --archive from its first block on. Proofs are of the last blocks only, anywhere.",
  });
}

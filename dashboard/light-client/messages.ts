/** What the page and its light client say to each other. */
import type { BlockProof, VerifiedBlock } from "../../chain/light-client/block-verifier.ts";

type Validators = BlockProof["validators"];

/** `chainId` comes with each: a worker that was started again knows nothing. */
export type Question = { readonly chainId: bigint } & (
  | { readonly kind: "known"; readonly epoch: number }
  | { readonly kind: "trust"; readonly epoch: number; readonly validators: Validators }
  | { readonly kind: "verify"; readonly proof: BlockProof; readonly fromEpoch: number }
);

export type Answer = { readonly epoch: number | undefined } | { readonly verified: VerifiedBlock };

/** How a caller names a block: a tag, a number, or by EIP-1898 an object with a number or a hash. */
import type { StoredHeader } from "../chain/store/block-records.ts";
import type { ChainView } from "./chain-view.ts";
import { hash, member, members, type Parameter, quantity } from "./parameters.ts";
import { REFUSED, RpcError } from "./rpc-error.ts";

const TAGS = ["latest", "pending", "safe", "finalized", "earliest"] as const;

export type BlockReference =
  | { readonly tag: (typeof TAGS)[number] }
  | { readonly number: bigint }
  | { readonly hash: Uint8Array };

export const LATEST: BlockReference = { tag: "latest" };

export const blockReference: Parameter<BlockReference> = {
  wanted: `a block: a number or one of ${TAGS.join(", ")}`,
  read(value, where) {
    const tag = TAGS.find((candidate) => candidate === value);
    if (tag !== undefined) return { tag };
    if (typeof value === "object") return readObject(value, where);
    return { number: quantity.read(value, `${where} (${this.wanted})`) };
  },
};

function readObject(value: unknown, where: string): BlockReference {
  const holder = members(value, where);
  const blockHash = member(holder, "blockHash", hash, where);
  if (blockHash !== undefined) return { hash: blockHash };
  return { number: quantity.read(holder["blockNumber"], `${where}.blockNumber`) };
}

/**
 * The block, or `undefined` when the chain has none like it. Every block is final as soon as it is there, so
 * latest, safe and finalized are one; pending is the same block, since nothing is known about the next one.
 */
export function findBlock(chain: ChainView, reference: BlockReference): StoredHeader | undefined {
  if ("tag" in reference) return reference.tag === "earliest" ? chain.header(0) : chain.head;
  if ("hash" in reference) {
    const number = chain.numberOf(reference.hash);
    return number === undefined ? undefined : chain.header(number);
  }
  const { head } = chain;
  if (reference.number === head.header.number) return head;
  return reference.number > head.header.number ? undefined : chain.header(Number(reference.number));
}

export function requireBlock(chain: ChainView, reference: BlockReference): StoredHeader {
  const found = findBlock(chain, reference);
  if (found === undefined)
    throw new RpcError(REFUSED, "header not found: the chain has no such block", { code: "BLOCK_UNKNOWN" });
  return found;
}

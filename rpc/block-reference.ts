/** How a caller names a block: a tag, a number, a hash, or by EIP-1898 an object with a number or a hash. */
import type { StoredBody, StoredHeader } from "../chain/store/block-records.ts";
import type { ChainReads } from "./chain-view.ts";
import { boolean, hash, member, members, type Parameter, quantity } from "./parameters.ts";
import { invalidParams, PRUNED, REFUSED, RpcError } from "./rpc-error.ts";

const TAGS = ["latest", "pending", "safe", "finalized", "earliest"] as const;

export type BlockReference =
  | { readonly tag: (typeof TAGS)[number] }
  | { readonly number: bigint }
  | { readonly hash: Uint8Array };

const BY_TAG: ReadonlyMap<unknown, BlockReference> = new Map(TAGS.map((tag) => [tag, { tag }]));

export const LATEST: BlockReference = { tag: "latest" };

const MEMBERS: readonly string[] = ["blockHash", "blockNumber", "requireCanonical"];

export const blockReference: Parameter<BlockReference> = {
  name: "block",
  wanted: `a block: a number, a hash, or one of ${TAGS.join(", ")}`,
  schema: {
    title: "block",
    anyOf: [
      { type: "string", enum: TAGS },
      quantity.schema,
      hash.schema,
      {
        type: "object",
        properties: {
          blockHash: hash.schema,
          blockNumber: { anyOf: [{ type: "string", enum: TAGS }, quantity.schema] },
          requireCanonical: { type: "boolean" },
        },
        additionalProperties: false,
      },
    ],
  },
  read(value, where) {
    const tagged = BY_TAG.get(value);
    if (tagged !== undefined) return tagged;
    if (typeof value === "object") return readObject(value, where);
    // No block has a number of 32 bytes.
    if (typeof value === "string" && value.length === 66) return { hash: hash.read(value, where) };
    return { number: quantity.read(value, `${where} (${this.wanted})`) };
  },
};

function readObject(value: unknown, where: string): BlockReference {
  const holder = members(value, where);
  const unknown = Object.keys(holder).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw invalidParams(`${where} has no member ${unknown.slice(0, 60)}`);
  // Every block that is here is canonical: there are no others.
  member(holder, "requireCanonical", boolean, where);
  const blockHash = member(holder, "blockHash", hash, where);
  const { blockNumber } = holder;
  // A tag in the place of a number, as some libraries write it.
  if (blockHash === undefined) {
    return BY_TAG.get(blockNumber) ?? { number: quantity.read(blockNumber, `${where}.blockNumber`) };
  }
  if (blockNumber !== undefined) throw invalidParams(`${where} has both blockHash and blockNumber`);
  return { hash: blockHash };
}

/**
 * The block, or `undefined` when the chain has none like it. Every block is final as soon as it is there, so
 * latest, safe and finalized are one; pending is the same block, since nothing is known about the next one.
 */
export function findBlock(chain: ChainReads, reference: BlockReference): StoredHeader | undefined {
  if ("tag" in reference) return reference.tag === "earliest" ? chain.header(0) : chain.head;
  if ("hash" in reference) {
    const number = chain.numberOf(reference.hash);
    return number === undefined ? undefined : chain.header(number);
  }
  const { head } = chain;
  if (reference.number === head.header.number) return head;
  return reference.number > head.header.number ? undefined : chain.header(Number(reference.number));
}

export function requireBlock(chain: ChainReads, reference: BlockReference): StoredHeader {
  const found = findBlock(chain, reference);
  if (found !== undefined) return found;
  checkKept(chain, reference);
  throw new RpcError(REFUSED, "header not found: the chain has no such block", { code: "BLOCK_UNKNOWN" });
}

export interface WholeBlock {
  readonly block: StoredHeader;
  readonly body: StoredBody;
}

/** With its transactions. Throws BLOCK_PRUNED for one that this node never had. */
export function findWholeBlock(chain: ChainReads, reference: BlockReference): WholeBlock | undefined {
  const block = findBlock(chain, reference);
  const body = block && chain.body(Number(block.header.number));
  if (block !== undefined && body !== undefined) return { block, body };
  checkKept(chain, block === undefined ? reference : { number: block.header.number });
  return undefined;
}

export function requireWholeBlock(chain: ChainReads, reference: BlockReference): WholeBlock {
  const found = findWholeBlock(chain, reference);
  if (found === undefined) throw new RpcError(REFUSED, "block not found", { code: "BLOCK_UNKNOWN" });
  return found;
}

/** A node that began with a snapshot lacks what was before it. */
function checkKept(chain: ChainReads, reference: BlockReference): void {
  const number = "number" in reference ? reference.number : "tag" in reference ? 0n : undefined;
  if (number !== undefined && number <= BigInt(chain.base) && chain.base > 0) throw prunedError(chain.base);
}

export function prunedError(base: number): RpcError {
  return new RpcError(PRUNED, `pruned history unavailable: this node has blocks from ${base + 1} on`, {
    code: "BLOCK_PRUNED",
    oldest: base + 1,
  });
}

/** What methods answer with more than once, by name: the components of the OpenRPC document. */
import {
  ADDRESS,
  BOOLEAN,
  DATA,
  HASH,
  INTEGER,
  type JsonSchema,
  listOf,
  mapOf,
  objectOf,
  orNull,
  QUANTITY,
} from "./schema.ts";

const BLOOM: JsonSchema = { title: "bloom filter", type: "string", pattern: "^0x[0-9a-f]{512}$" };

const PLACE = { blockHash: orNull(HASH), blockNumber: orNull(QUANTITY), transactionIndex: orNull(QUANTITY) };

const accessList: JsonSchema = listOf(objectOf({ address: ADDRESS, storageKeys: listOf(HASH) }));

const log: JsonSchema = objectOf({
  ...PLACE,
  blockTimestamp: QUANTITY,
  address: ADDRESS,
  topics: listOf(HASH),
  data: DATA,
  transactionHash: HASH,
  logIndex: QUANTITY,
  removed: BOOLEAN,
});

const transaction: JsonSchema = objectOf(
  {
    ...PLACE,
    blockTimestamp: orNull(QUANTITY),
    hash: HASH,
    type: QUANTITY,
    from: ADDRESS,
    to: orNull(ADDRESS),
    nonce: QUANTITY,
    value: QUANTITY,
    input: DATA,
    gas: QUANTITY,
    gasPrice: QUANTITY,
    v: QUANTITY,
    r: QUANTITY,
    s: QUANTITY,
  },
  {
    chainId: QUANTITY,
    maxFeePerGas: QUANTITY,
    maxPriorityFeePerGas: QUANTITY,
    accessList,
    yParity: QUANTITY,
  },
);

const receipt: JsonSchema = objectOf({
  ...PLACE,
  transactionHash: HASH,
  type: QUANTITY,
  from: ADDRESS,
  to: orNull(ADDRESS),
  status: QUANTITY,
  gasUsed: QUANTITY,
  cumulativeGasUsed: QUANTITY,
  effectiveGasPrice: QUANTITY,
  contractAddress: orNull(ADDRESS),
  logs: listOf(log),
  logsBloom: BLOOM,
});

/** The members that a header has, also in a subscription. */
const HEADER = {
  number: QUANTITY,
  hash: HASH,
  parentHash: HASH,
  sha3Uncles: HASH,
  miner: ADDRESS,
  stateRoot: HASH,
  transactionsRoot: HASH,
  receiptsRoot: HASH,
  logsBloom: BLOOM,
  difficulty: QUANTITY,
  gasLimit: QUANTITY,
  gasUsed: QUANTITY,
  timestamp: QUANTITY,
  extraData: DATA,
  mixHash: HASH,
  nonce: { type: "string", pattern: "^0x[0-9a-f]{16}$" },
  baseFeePerGas: QUANTITY,
};

const block: JsonSchema = objectOf({
  ...HEADER,
  totalDifficulty: QUANTITY,
  size: QUANTITY,
  uncles: listOf(HASH),
  transactions: { anyOf: [listOf(HASH), listOf({ $ref: "#/components/schemas/Transaction" })] },
});

export const VALIDATORS: JsonSchema = listOf(objectOf({ index: INTEGER, publicKey: DATA, weight: QUANTITY }));

export const TRACES: JsonSchema = listOf(objectOf({ txHash: HASH, result: {} }));

const byNonce: JsonSchema = mapOf({ $ref: "#/components/schemas/Transaction" });
export const POOL_CONTENT: JsonSchema = objectOf({ pending: mapOf(byNonce), queued: mapOf(byNonce) });
export const POOL_CONTENT_FROM: JsonSchema = objectOf({ pending: byNonce, queued: byNonce });

export type ComponentName = "AccessList" | "Log" | "Transaction" | "Receipt" | "Block";

export const COMPONENTS: Readonly<Record<ComponentName, JsonSchema>> = {
  AccessList: accessList,
  Log: log,
  Transaction: transaction,
  Receipt: receipt,
  Block: block,
};

export function ref(name: ComponentName): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

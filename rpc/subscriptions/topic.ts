/** What can be subscribed to. */

import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { modulesOfSpec } from "../../vm/rules-of-spec.ts";
import { type LogFilter, logFilter } from "../log-filter.ts";
import { boolean, object, quantity } from "../parameters.ts";
import { invalidParams } from "../rpc-error.ts";

export type Topic =
  | { readonly kind: "newHeads" | "syncing" | "finality" | "blocks" | "anomalies" }
  | { readonly kind: "logs"; readonly filter: LogFilter }
  /** Of one job, a decimal number, or of all. */
  | { readonly kind: "progress"; readonly job: string | undefined }
  | { readonly kind: "newPendingTransactions"; readonly isFull: boolean };

/** As the caller names them: eth_subscribe's, and ogpu_subscribe's. */
export type Namespace = "eth" | "ogpu";

/** Longer ones are none of ours. */
export const MAX_TOPIC_NAME = 64;

const NO_FILTER = {};

/** Throws an RpcError. */
export function ethTopic(name: string, options: unknown): Topic {
  switch (name) {
    case "newHeads":
    case "syncing":
      return { kind: name };
    case "logs": {
      const filter = logFilter.read(options ?? NO_FILTER, "parameter 2");
      if (filter.blockHash !== undefined) throw invalidParams("parameter 2: a subscription has no blockHash");
      return { kind: "logs", filter: { ...filter, fromBlock: undefined, toBlock: undefined } };
    }
    case "newPendingTransactions":
      return { kind: name, isFull: boolean.read(options ?? false, "parameter 2") };
    default:
      throw invalidParams("parameter 1 must be one of newHeads, logs, newPendingTransactions, syncing");
  }
}

/** Topics of the chain itself: `blocks` at a glance, and what is unusual about them. */
const OWN_TOPICS = ["finality", "blocks", "anomalies"] as const;

const progressOptions = object("which job's progress", { job: quantity });

/** One of these, or what one module of the chain emits. Throws an RpcError. */
export function ogpuTopic(name: string, options: unknown, spec: ChainSpec): Topic {
  if (name === "progress") {
    const { job } = progressOptions.read(options ?? NO_FILTER, "parameter 2");
    return { kind: name, job: job === undefined ? undefined : String(job) };
  }
  if (options !== undefined) throw invalidParams(`parameter 2: ${name.slice(0, MAX_TOPIC_NAME)} has no options`);
  const own = OWN_TOPICS.find((topic) => topic === name);
  if (own !== undefined) return { kind: own };
  const modules = modulesOfSpec(spec);
  const found = modules.find((module) => module.name === name);
  if (found === undefined) {
    throw invalidParams(
      `parameter 1 must be one of ${[...OWN_TOPICS, "progress", ...modules.map((module) => module.name)].join(", ")}`,
    );
  }
  return {
    kind: "logs",
    filter: { blockHash: undefined, fromBlock: undefined, toBlock: undefined, addresses: [found.address], topics: [] },
  };
}

/** Equal for subscriptions that are told the same. Short: a filter may be as long as half a megabyte. */
export function topicKey(namespace: Namespace, topic: Topic): Hex {
  return bytesToHex(keccak256(new TextEncoder().encode(JSON.stringify([namespace, topic]))));
}

/**
 * The id of the `ordinal`th subscription of one connection to the same: ids need only differ on one connection, and equal
 * ones let all connections share what is sent.
 */
export function subscriptionId(key: Hex, ordinal: number): Hex {
  const hash = keccak256(new TextEncoder().encode(`${ordinal} ${key}`));
  return bytesToHex(hash.subarray(0, 16));
}

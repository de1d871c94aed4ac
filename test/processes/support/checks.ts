/** What must hold of a network after whatever was done to it. */
import { join } from "node:path";
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { MempoolJournal } from "../../../chain/mempool/journal.ts";
import { type AuditReport, auditStore } from "../../../chain/store/audit.ts";
import { ChainStore } from "../../../chain/store/chain-store.ts";
import { ChainCopy } from "./chain-copy.ts";
import type { Load } from "./load.ts";
import type { LogLine } from "./node-process.ts";
import type { ProcessNetwork } from "./process-network.ts";
import { until } from "./until.ts";

/** The chains of all nodes, once each of them has every acknowledged transaction in a final block. */
export async function settledChains(network: ProcessNetwork, load: Load): Promise<readonly ChainCopy[]> {
  const chains = network.indices.map(() => new ChainCopy());
  const missing = (): readonly Hex[][] =>
    chains.map(({ transactions }) => [...load.acknowledged.keys()].filter((hash) => !transactions.has(hash)));
  await until(
    "all nodes have all acknowledged transactions",
    async () => {
      await Promise.all(chains.map((chain, index) => chain.update(network.urlOf(index))));
      return missing().every(({ length }) => length === 0) || undefined;
    },
    () => missing().map((hashes) => hashes.map((hash) => `${hash} from node ${load.acknowledged.get(hash)}`)),
  );
  return chains;
}

/** The chain of one node from `first` on, once it has what the other node has now. */
export async function chainFrom(first: number, url: string, aim: number): Promise<ChainCopy> {
  const chain = new ChainCopy(first);
  await until(`a node has block ${aim}`, async () => {
    await chain.update(url);
    return chain.height >= aim || undefined;
  });
  return chain;
}

/** Where two chains differ, if they do: the heights. */
export function conflicts(one: ChainCopy, other: ChainCopy): readonly string[] {
  const theirs = other.sharedWith(one);
  return one
    .sharedWith(other)
    .filter(({ hash, stateRoot }, index) => theirs[index]?.hash !== hash || theirs[index]?.stateRoot !== stateRoot)
    .map(({ number }) => number);
}

/** What nodes of an honest network may warn of when others are killed and cut off. */
const HARMLESS: readonly string[] = ["transactions not gossiped", "cannot publish", "libp2p did not stop cleanly"];

/** Alarms, evidence, bans, invalid blocks, bugs: whatever no fault of processes and links may bring about. */
export function alarms(network: ProcessNetwork): readonly LogLine[] {
  return network.problems().filter(({ level, message }) => level === "error" || !HARMLESS.includes(message));
}

/**
 * Acknowledged transactions that are neither in a final block nor in the journal of the node that acknowledged them.
 * The nodes must not be running.
 */
export async function unaccounted(network: ProcessNetwork, load: Load): Promise<readonly Hex[]> {
  const missing = new Set(load.acknowledged.keys());
  for (const index of network.indices) {
    const store = await ChainStore.open(chainFolder(network, index));
    for (const hash of missing) if (store.locate(hexToBytes(hash)) !== undefined) missing.delete(hash);
    await store.close();
    const journal = await MempoolJournal.open(join(network.folder(index), "mempool.journal"));
    for (const raw of journal.load()) {
      const hash = bytesToHex(keccak256(raw));
      if (load.acknowledged.get(hash) === index) missing.delete(hash);
    }
    await journal.close();
  }
  return [...missing];
}

function chainFolder(network: ProcessNetwork, index: number): string {
  return join(network.folder(index), "chain");
}

/** The sum of all balances against what was minted and burned, and the whole state. The node must not be running. */
export async function audit(network: ProcessNetwork, index: number): Promise<AuditReport> {
  const store = await ChainStore.open(chainFolder(network, index));
  try {
    return await auditStore(store);
  } finally {
    await store.close();
  }
}

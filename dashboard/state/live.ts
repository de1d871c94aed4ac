/** What the page knows of the chain at every moment: its last blocks, the node's status, whether the node is there. */
import type { Anomaly, NodeStatus, RecentBlock } from "../../rpc/client/answers.ts";
import { type RecentBlockJson, readRecentBlock } from "../../rpc/client/read-answers.ts";
import { MAX_ANOMALIES, MAX_RECENT_BLOCKS } from "../connection/limits.ts";
import type { ConnectionState } from "../connection/rpc-connection.ts";
import { connection, node } from "./node.ts";
import { Store } from "./store.ts";

export const connectionState: Store<ConnectionState> = new Store<ConnectionState>(connection.state);
export const status: Store<NodeStatus | undefined> = new Store<NodeStatus | undefined>(undefined);
/** The oldest first. */
export const recentBlocks: Store<readonly RecentBlock[]> = new Store<readonly RecentBlock[]>([]);
/** The newest first. */
export const anomalies: Store<readonly Anomaly[] | undefined> = new Store<readonly Anomaly[] | undefined>(undefined);
/** Counts up at most once a second while blocks come: what follows the chain is asked for anew. */
export const tick: Store<number> = new Store<number>(0);
export const now: Store<number> = new Store<number>(Date.now());

const TICK_MILLISECONDS = 1000;
const STATUS_MILLISECONDS = 5000;

let tickIsDue = false;

function addBlock(json: unknown): void {
  const block = readRecentBlock(json as RecentBlockJson);
  const { value } = recentBlocks;
  const last = value.at(-1);
  if (last !== undefined && block.number <= last.number) return;
  // A gap means that messages were missed: what was is asked for again.
  if (last !== undefined && block.number > last.number + 1n) return void refresh();
  recentBlocks.set([...value, block].slice(-MAX_RECENT_BLOCKS));
  tickIsDue = true;
}

async function refresh(): Promise<void> {
  try {
    const [blocks, current, found] = await Promise.all([
      node.getRecentBlocks({ count: MAX_RECENT_BLOCKS }),
      node.getStatus(),
      node.getAnomalies(),
    ]);
    recentBlocks.set(blocks);
    status.set(current);
    anomalies.set(found);
    tickIsDue = true;
  } catch {
    // The banner says that the node is away; the next connection asks again.
  }
}

/** Once, when the page starts. */
export function startLive(): void {
  connection.onState((state) => {
    connectionState.set(state);
    if (state === "open") void refresh();
  });
  connection.subscribe("ogpu_subscribe", ["blocks"], addBlock);
  connection.subscribe("ogpu_subscribe", ["anomalies"], (anomaly) =>
    anomalies.update((found = []) => [anomaly as Anomaly, ...found].slice(0, MAX_ANOMALIES)),
  );
  setInterval(() => {
    now.set(Date.now());
    if (tickIsDue) tick.update((count) => count + 1);
    tickIsDue = false;
  }, TICK_MILLISECONDS);
  setInterval(async () => {
    if (connection.state === "open") status.set(await node.getStatus().catch(() => status.value));
  }, STATUS_MILLISECONDS);
}

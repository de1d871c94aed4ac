/** One node copies another one's state, in one process: serving, the wire's encoding, proofs, files and the import. */
import { performance } from "node:perf_hooks";
import { assert } from "../../base/errors.ts";
import { ChainStore } from "../../chain/store/chain-store.ts";
import type { SyncAnswer, SyncRequest } from "../../chain/sync/messages.ts";
import { syncMessage } from "../../chain/sync/messages.ts";
import { SnapshotSource } from "../../chain/sync/snapshot-source.ts";
import { SyncFiles } from "../../chain/sync/sync-files.ts";
import { SyncRunner } from "../../chain/sync/sync-runner.ts";
import { decodeWire, encodeWire } from "../../chain/wire/schema.ts";
import { IDENTITY, NOW, trust } from "./large-snapshot.ts";

const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;
/** Two, so that requests overlap as they do over a network. */
const PEERS = ["one", "two"];

export interface Fetched {
  readonly store: ChainStore;
  /** Leaves and code, as they went over the wire. */
  readonly bytes: number;
  readonly leaves: number;
  readonly fetchSeconds: number;
  readonly importSeconds: number;
}

export async function fetchSnapshot(from: ChainStore, folder: string): Promise<Fetched> {
  const source = new SnapshotSource(from);
  source.start(0);
  const store = await ChainStore.open(`${folder}/chain`, { chain: IDENTITY, forImport: true });
  const answer = async (peer: string, request: SyncRequest): Promise<SyncAnswer> => {
    const arrived = decodeWire(syncMessage, encodeWire(syncMessage, request), MAX_MESSAGE_BYTES);
    const answered = encodeWire(syncMessage, await source.answer(peer, arrived as SyncRequest, 0));
    return decodeWire(syncMessage, answered, MAX_MESSAGE_BYTES) as SyncAnswer;
  };
  const start = performance.now();
  let fetchedAt = 0;
  const files = new (class extends SyncFiles {
    override items(): ReturnType<SyncFiles["items"]> {
      fetchedAt = performance.now();
      return super.items();
    }
  })(`${folder}/sync`);
  const runner: SyncRunner = new SyncRunner({
    store,
    files,
    trust: trust(),
    clock: {
      now: () => NOW + performance.now(),
      setTimer: (milliseconds, run) => {
        const timer = setTimeout(run, milliseconds);
        return () => clearTimeout(timer);
      },
    },
    limits: { offersWait: 0 },
    penalise: (_, reason) => {
      throw new Error(reason);
    },
    send: (to, request) => void answer(to, request).then((message) => runner.onMessage(to, message)),
  });
  for (const peer of PEERS) runner.onPeer(peer, true);
  const outcome = await runner.run();
  assert(outcome.type === "imported", "the state was imported");
  const end = performance.now();
  const { bytes = 0, leaves = 0 } = runner.progress() ?? {};
  await source.close();
  return { store, bytes, leaves, fetchSeconds: (fetchedAt - start) / 1000, importSeconds: (end - fetchedAt) / 1000 };
}

/** The RPC's thread: the server and everything that only reads. Started by rpc-host.ts. */
import { parentPort, workerData } from "node:worker_threads";
import type { Hex } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import type { SeenProgress } from "../../chain/runtime/progress-board.ts";
import { ReadView } from "../../chain/store/read-view.ts";
import { type BlobsPort, loadBlobs } from "../blobs.ts";
import { CallPool } from "../call-pool/call-pool.ts";
import type { ChainView } from "../chain-view.ts";
import { readDashboard } from "../dashboard/dashboard-files.ts";
import { MAX_QUESTIONS } from "../limits.ts";
import { type RpcServer, startRpcServer } from "../server.ts";
import { ViewReads } from "../view-reads.ts";
import { Channel } from "./channel.ts";
import { withLateCalls } from "./late-calls.ts";
import { remotePeers, type WantedPart } from "./remote-blobs.ts";
import { received, remoteNode, type SentTransaction } from "./remote-node.ts";
import { type RpcThreadData, VIEW_LIMITS } from "./settings.ts";
import { SharedQuestions } from "./shared-questions.ts";
import { type Refusal, Submissions } from "./submissions.ts";
import { toWire } from "./wire-error.ts";

const port = parentPort;
assert(port !== null, "this is the program of a thread");
const settings = workerData as RpcThreadData;

let server: RpcServer | undefined;
let view: ReadView | undefined;
let calls: CallPool | undefined;
let blobs: BlobsPort | undefined;

const channel = new Channel(port, {
  maxQuestions: MAX_QUESTIONS,
  hears: {
    head: () => onHead(),
    answers: () => submissions.onAnswers(),
    refused: (refusal: Refusal) => submissions.onRefusal(refusal),
    pending: (transactions: readonly SentTransaction[]) => server?.feed.onPending(transactions.map(received)),
    progress: (progress: SeenProgress) => server?.feed.onProgress(progress),
    syncing: (status: unknown) => server?.feed.onSyncing(status),
  },
  answers: {
    ownBlob: (address: Hex) => blobs?.find(address),
    ownPart: ({ address, part }: WantedPart) => blobs?.part(address, part),
    close: async () => {
      await server?.close();
      await blobs?.close();
      await calls?.close();
      await view?.close();
      end();
    },
  },
});

const submissions = new Submissions(channel, settings.submissions);

try {
  await start();
} catch (error) {
  channel.tell("failed", toWire(error));
  await blobs?.close();
  await calls?.close();
  await view?.close();
  end();
}

/** What was said last has left the thread by then. */
function end(): void {
  setImmediate(() => setImmediate(() => port?.close()));
}

async function start(): Promise<void> {
  const { spec, directory, limits, host, port: wanted, clientVersion, access } = settings;
  view = await ReadView.open(directory, VIEW_LIMITS);
  const pool = new CallPool({ spec, directory, limits, onLater: onHead });
  calls = pool;
  const reads = new ViewReads(spec, view);
  const chain: ChainView = Object.assign(reads, remoteNode(channel, submissions));
  blobs = await loadBlobs(settings.blobs, remotePeers(channel));
  const monitored = new SharedQuestions();
  server = await startRpcServer({
    ...{ chain, host, port: wanted, clientVersion, limits, access },
    job: withLateCalls((name, request, caller) => pool.run(name, request, caller), reads, limits),
    readBatch: (body, caller) => pool.read({ body, head: reads.head.header.number }, caller),
    calls: () => ({ workers: pool.workers, waiting: pool.waiting }),
    onBug: (method, error) => channel.tell("bug", { method, error: toWire(error) }),
    watchPending: (wanted) => channel.tell("watchPending", wanted),
    dashboard: readDashboard,
    ...(blobs !== undefined && { blobs }),
    monitoring: {
      readiness: () => monitored.ask("readiness", () => channel.ask("readiness", undefined)),
      metrics: () => monitored.ask("metrics", () => channel.ask("metrics", undefined)),
    },
  });
  // Blocks may have come while nobody listened.
  onHead();
  channel.tell("listening", { port: server.port, url: server.url });
}

function onHead(): void {
  if (view === undefined || server === undefined) return;
  const before = view.head.number;
  if (!view.refresh()) return;
  calls?.onHead();
  for (let number = before + 1; number <= view.head.number; number++) {
    const block = view.header(number);
    if (block !== undefined) server.feed.onBlock(block);
  }
}

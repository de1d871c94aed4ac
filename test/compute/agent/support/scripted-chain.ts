/** A chain at the agents' port that holds what a test puts there and does what the test says when something is sent. */
import { bytes32, bytesToHex, concatBytes, type Hex, hexToBytes } from "../../../../base/bytes.ts";
import { privateKeyToAddress, signHash } from "../../../../base/secp256k1.ts";
import type {
  ChainAction,
  ChainNotice,
  ChainPort,
  JobView,
  MembershipView,
  RoundView,
  SendOutcome,
  SourceView,
} from "../../../../compute/agent/ports.ts";

type Mutable<T> = { -readonly [name in keyof T]: T[name] };

export class ScriptedChain {
  readonly jobs: Map<bigint, Mutable<JobView>> = new Map();
  readonly rounds: Map<bigint, Mutable<RoundView>> = new Map();
  readonly sourcesById: Map<bigint, SourceView> = new Map();
  /** Tiles that were put to the vote last. */
  readonly disputes: Map<bigint, { readonly launch: number; readonly tile: number }> = new Map();
  readonly programs: Map<Hex, Uint8Array> = new Map();
  readonly endpoints: Map<Hex, string> = new Map();
  readonly members: MembershipView[] = [];
  /** Everything that was sent, by whom. */
  readonly sent: { readonly from: Hex; readonly action: ChainAction }[] = [];
  /** Decides what comes of an action; `undefined` is done. */
  onSend: (from: Hex, action: ChainAction) => string | undefined = () => undefined;
  /** Something happens while a program is fetched. */
  onProgram: () => void = () => undefined;
  #block = 1n;
  readonly #listeners = new Set<(notice: ChainNotice) => void>();

  actions<Kind extends ChainAction["kind"]>(kind: Kind): readonly Extract<ChainAction, { kind: Kind }>[] {
    return this.sent.flatMap(({ action }) =>
      action.kind === kind ? [action as Extract<ChainAction, { kind: Kind }>] : [],
    );
  }

  /** With the bid of whoever asks. */
  #jobFor(account: Hex, id: bigint): JobView | undefined {
    const job = this.jobs.get(id);
    const own = (kind: "bid" | "revealBid"): boolean =>
      this.sent.some(({ from, action }) => from === account && action.kind === kind && action.job === id);
    return job && { ...job, ownBid: own("bid") ? { revealed: own("revealBid") } : undefined };
  }

  /** A block in which these were touched. */
  tick(touched: Partial<Pick<ChainNotice, "jobs" | "rounds" | "sources">> = {}): void {
    const notice = { block: this.#block++, time: this.#block, jobs: [], rounds: [], sources: [], ...touched };
    for (const listener of this.#listeners) listener(notice);
  }

  port(key: Uint8Array): ChainPort {
    const account = bytesToHex(privateKeyToAddress(key));
    const found = <T>(value: T): Promise<T> => Promise.resolve(structuredClone(value));
    return {
      account,
      watch: (_from, signal) => this.#watch(signal),
      job: (id) => found(this.#jobFor(account, id)),
      source: (id) => found(this.sourcesById.get(id)),
      sources: () => found([...this.sourcesById.values()]),
      memberships: () => found(this.members),
      auctions: () =>
        found([...this.jobs.values()].filter((job) => job.status === 1 && job.source === 0n).map(({ id }) => id)),
      ownJobs: () => found([...this.jobs.keys()]),
      round: (id) => found(this.rounds.get(id)),
      disputed: (id) => found(this.disputes.get(id)),
      opening: () => found(undefined),
      program: (address) => {
        this.onProgram();
        return found(this.programs.get(address));
      },
      endpoint: (provider) => found(this.endpoints.get(provider)),
      send: async (action): Promise<SendOutcome> => {
        await Promise.resolve();
        const error = this.onSend(account, action);
        if (error !== undefined) return { kind: "refused", error };
        this.sent.push({ from: account, action });
        return { kind: "done", block: this.#block };
      },
      sign: (digest) => {
        const { r, s, yParity } = signHash(digest, key);
        return Promise.resolve(concatBytes(bytes32(r), bytes32(s), new Uint8Array([yParity])));
      },
    };
  }

  async *#watch(signal: AbortSignal): AsyncGenerator<ChainNotice> {
    const waiting: ChainNotice[] = [];
    let wake = (): void => undefined;
    const listener = (notice: ChainNotice): void => {
      waiting.push(notice);
      wake();
    };
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => wake());
    try {
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      this.#listeners.delete(listener);
    }
  }
}

export const NO_REGION: Hex = `0x${"00".repeat(16)}`;

export function jobView(parts: Partial<JobView> & Pick<JobView, "id" | "program" | "inputs">): Mutable<JobView> {
  return {
    ...{ status: 3, source: 0n, client: `0x${"c1".repeat(20)}`, segments: 1, segment: 0, checkpoint: undefined },
    ...{ worker: undefined, racers: [], round: 0n, by: 100n, deadline: 1_000n, budget: 10n ** 18n, tier: 0 },
    ...{
      outputs: [],
      attempt: 1n,
      region: NO_REGION,
      earlierWorkers: [],
      ownBid: undefined,
      demands: [],
      reserved: 0n,
    },
    ...parts,
  };
}

export function roundView(
  job: JobView,
  parts: Partial<RoundView> & Pick<RoundView, "id" | "worker" | "segmentRoot" | "endLaunch">,
): Mutable<RoundView> {
  return {
    ...{ job: job.id, segment: job.segment, segments: job.segments, program: job.program, checkpoint: job.checkpoint },
    ...{
      inputs: job.inputs,
      outputs: job.outputs,
      firstLaunch: 0,
      phase: "sealing",
      by: 100n,
      isFinal: false,
      reason: 0,
    },
    ...{ seedPublished: false, seats: [], dispute: undefined },
    ...parts,
  };
}

/** Journals in memory, which outlive the agent as a file does. */
export class MemoryJournal {
  records: Uint8Array[] = [];
  load(): Promise<readonly Uint8Array[]> {
    return Promise.resolve([...this.records]);
  }
  append(record: Uint8Array): Promise<void> {
    this.records.push(record);
    return Promise.resolve();
  }
  replace(records: readonly Uint8Array[]): Promise<void> {
    this.records = [...records];
    return Promise.resolve();
  }
}

export function keyOf(byte: number): Uint8Array {
  return hexToBytes(`0x${byte.toString(16).padStart(2, "0").repeat(32)}`);
}

/** Joins the sources that the policy likes, and leaves those that it does not like any more. */
import type { Hex } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { PROVIDER_LIMITS } from "../limits.ts";
import type { ChainAction, ChainPort, ClockPort, SourceView } from "../ports.ts";
import { type ProgramFacts, type ProviderPolicy, refusalOfSource, type WorkingDevice } from "./policy.ts";

interface KeeperPorts {
  readonly chain: ChainPort;
  readonly clock: ClockPort;
  tell(
    event:
      | { readonly kind: "declined"; readonly what: string; readonly reason: string }
      | { readonly kind: "sent"; readonly action: ChainAction["kind"]; readonly job: undefined }
      | {
          readonly kind: "refused";
          readonly action: ChainAction["kind"];
          readonly job: undefined;
          readonly error: string;
        },
  ): void;
}

/** Milliseconds until sources are looked at without a reason: prices move. */
const LOOK_MILLISECONDS = 60_000;

export class SourceKeeper {
  readonly #ports: KeeperPorts;
  readonly #policy: ProviderPolicy;
  readonly #device: WorkingDevice;
  readonly #factsOf: (program: Hex) => Promise<ProgramFacts>;
  /** What was told of each source, so that it is told once. */
  readonly #told = new Map<bigint, string>();
  #looked = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(
    ports: KeeperPorts,
    { policy, device }: { readonly policy: ProviderPolicy; readonly device: WorkingDevice },
    factsOf: (program: Hex) => Promise<ProgramFacts>,
  ) {
    this.#ports = ports;
    this.#policy = policy;
    this.#device = device;
    this.#factsOf = factsOf;
  }

  isDue(): boolean {
    return this.#policy.pool && this.#ports.clock.now() - this.#looked >= LOOK_MILLISECONDS;
  }

  consider(signal: AbortSignal): Promise<void> {
    if (!this.#policy.pool) return Promise.resolve();
    this.#turn = this.#turn.catch(() => undefined).then(() => this.#consider(signal));
    return this.#turn;
  }

  async #consider(signal: AbortSignal): Promise<void> {
    const { chain, clock } = this.#ports;
    this.#looked = clock.now();
    const members = (await chain.memberships(PROVIDER_LIMITS.sources)).filter(
      ({ device }) => device === this.#device.id,
    );
    const joined = new Set(members.map(({ source }) => source));
    for (const { source, device, job } of members) {
      const view = await chain.source(source);
      const refusal = view && (await this.#refusal(view));
      if (refusal === undefined || job !== 0n || signal.aborted) continue;
      this.#decline(source, refusal);
      if (await this.#send({ kind: "leaveSource", source, device })) joined.delete(source);
    }
    for (const source of await chain.sources(PROVIDER_LIMITS.sources)) {
      if (joined.size >= this.#policy.sources || signal.aborted) return;
      if (joined.has(source.id)) continue;
      const refusal = await this.#refusal(source);
      if (refusal !== undefined) this.#decline(source.id, refusal);
      else if (await this.#send({ kind: "joinSource", source: source.id, device: this.#device.id }))
        joined.add(source.id);
    }
  }

  async #refusal(source: SourceView): Promise<string | undefined> {
    try {
      return refusalOfSource(this.#policy, this.#device, source, await this.#factsOf(source.program));
    } catch (error) {
      // A program that cannot be had or read is nothing to work on; that the node is away is another matter.
      if (isCoded(error, "JOB_REFUSED") || (isCoded(error) && error.code.startsWith("PROGRAM_"))) return error.message;
      throw error;
    }
  }

  #decline(source: bigint, reason: string): void {
    if (this.#isNew(source, reason)) this.#ports.tell({ kind: "declined", what: `source ${source}`, reason });
  }

  #isNew(source: bigint, told: string): boolean {
    if (this.#told.get(source) === told) return false;
    if (this.#told.size >= PROVIDER_LIMITS.journalRecords) this.#told.clear();
    this.#told.set(source, told);
    return true;
  }

  async #send(action: Extract<ChainAction, { kind: "joinSource" | "leaveSource" }>): Promise<boolean> {
    const outcome = await this.#ports.chain.send(action);
    if (outcome.kind === "done") this.#ports.tell({ kind: "sent", action: action.kind, job: undefined });
    else if (this.#isNew(action.source, `${action.kind} ${outcome.error}`)) {
      // One who is paused is refused with every look.
      this.#ports.tell({ kind: "refused", action: action.kind, job: undefined, error: outcome.error });
    }
    return outcome.kind === "done";
  }
}

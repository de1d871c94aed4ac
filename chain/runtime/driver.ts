/**
 * Drives the consensus core: events go in one after the other, effects go to the log, the disk, the network, the
 * ledger and the clock. Nothing is decided here. The order is the core's: what it wants sent waits until the log is
 * durable up to the position that it names.
 */

import { assert, CodedError } from "../../base/errors.ts";
import type { Offence } from "../../base/votes.ts";
import type { Run } from "../../base/work.ts";
import type { RecoveredTransaction, RejectedTransaction } from "../../vm/execution/execute-block.ts";
import type { Effect, Event, Receivers, TimerName } from "../consensus/events.ts";
import { restore } from "../consensus/restore.ts";
import type { ConsensusState, CoreOptions, FinalBase } from "../consensus/state.ts";
import { step } from "../consensus/step.ts";
import type { Block, Certificate, Evidence, LogRecord, Message, PeerId, Request } from "../consensus/types.ts";
import type { Clock } from "./clock.ts";
import type { Ledger } from "./ledger.ts";

/** The log as the driver uses it: chain/wal, or the simulator's. */
export interface DriverLog {
  append(records: readonly LogRecord[], position: number): void;
  replace(records: readonly LogRecord[]): void;
  onSynced(listener: (position: number) => void): void;
}

export interface DriverPorts {
  send(to: Receivers, message: Message): void;
  /** The answer to a request from the store of final blocks, if that has it. */
  serve(request: Request, to: PeerId): Message | undefined;
  /** The senders of the block's transactions. Rejects with a CodedError when one of them is no transaction. */
  recover(block: Block): Promise<readonly RecoveredTransaction[]>;
  /** Carries out work on blocks: all at once, or in turns with whatever else the node has to do. */
  readonly run: Run;
  /** What may go into a block on that parent, best first. */
  candidates(parent: Block): readonly RecoveredTransaction[];
  /** Candidates that the ledger refused. */
  onRejected(rejected: readonly RejectedTransaction[], parent: Block): void;
  /** Resolves when all of it is durable. */
  commit(blocks: readonly Block[], certificate: Certificate): Promise<void>;
  onEvidence(evidence: Evidence, offence: Offence): void;
  onAlarm(reason: string): void;
  /** A block that does not execute to what it claims. */
  onInvalidBlock(block: Block, reason: CodedError): void;
  /** After every event. */
  onStep(event: Event, state: ConsensusState): void;
  /** The disk or the program failed: the node has to stop. */
  onFailure(error: unknown): void;
}

export interface DriverOptions {
  readonly core: CoreOptions;
  readonly base: FinalBase;
  readonly log: DriverLog;
  /** What the log held when it was opened. */
  readonly records: readonly LogRecord[];
  readonly ledger: Pick<Ledger, "has" | "executing" | "building">;
  readonly clock: Clock;
  readonly ports: DriverPorts;
}

export class ConsensusDriver {
  readonly state: ConsensusState;
  readonly #options: DriverOptions;
  readonly #events: Event[] = [];
  readonly #timers = new Map<TimerName, () => void>();
  #outbox: Extract<Effect, { type: "send" }>[] = [];
  #durable = 0;
  #isStepping = false;
  #isStopped = false;

  constructor(options: DriverOptions) {
    this.#options = options;
    this.state = restore(options.core, options.base, options.records);
    options.log.onSynced((position) => this.#onSynced(position));
  }

  start(): void {
    this.dispatch({ type: "start" });
  }

  /** No event is handled any more, and no effect carried out. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  /** Handles the event after those that came before it. */
  dispatch(event: Event): void {
    this.#events.push(event);
    if (this.#isStepping) return;
    this.#isStepping = true;
    try {
      for (let next = this.#events.shift(); next !== undefined && !this.#isStopped; next = this.#events.shift()) {
        this.#handle(next);
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isStepping = false;
    }
  }

  #handle(event: Event): void {
    const { clock, ports } = this.#options;
    const effects = step(this.state, clock.now(), event);
    for (const effect of effects) {
      if (this.#isStopped) return;
      this.#perform(effect);
    }
    ports.onStep(event, this.state);
  }

  #fail(error: unknown): void {
    if (this.#isStopped) return;
    this.stop();
    this.#options.ports.onFailure(error);
  }

  #perform(effect: Effect): void {
    const { log, ports } = this.#options;
    switch (effect.type) {
      case "persist":
        log.append(effect.records, effect.position);
        return;
      case "compact":
        log.replace(effect.records);
        return;
      case "commit":
        this.#commit(effect.blocks, effect.certificate);
        return;
      case "send":
        if (effect.after <= this.#durable) ports.send(effect.to, effect.message);
        else this.#outbox.push(effect);
        return;
      case "serve":
        this.#serve(effect);
        return;
      case "execute":
        this.#execute(effect.block);
        return;
      case "build":
        this.#build(effect);
        return;
      case "timer":
        this.#setTimer(effect.timer, effect.at);
        return;
      case "evidence":
        ports.onEvidence(effect.evidence, effect.offence);
        return;
      case "alarm":
        ports.onAlarm(effect.reason);
    }
  }

  #onSynced(position: number): void {
    if (this.#isStopped) return;
    this.#durable = position;
    const ready = this.#outbox.filter(({ after }) => after <= position);
    this.#outbox = this.#outbox.filter(({ after }) => after > position);
    try {
      for (const { to, message } of ready) this.#options.ports.send(to, message);
    } catch (error) {
      // The log, which calls, would stop writing without a word.
      this.#fail(error);
    }
    this.dispatch({ type: "synced", position });
  }

  #serve({ to, request }: Extract<Effect, { type: "serve" }>): void {
    const answer = this.#options.ports.serve(request, to);
    if (answer !== undefined) this.#options.ports.send(to, answer);
  }

  #commit(blocks: readonly Block[], certificate: Certificate): void {
    this.#options.ports.commit(blocks, certificate).then(
      () => this.dispatch({ type: "committed", hash: certificate.hash }),
      (error: unknown) => this.#fail(error),
    );
  }

  #execute(block: Block): void {
    const { ports } = this.#options;
    const { epoch } = this.state;
    ports
      .recover(block)
      .then((transactions) => this.#tryExecute(block, transactions, epoch))
      .catch((error: unknown) => {
        if (!(error instanceof CodedError) || !isAboutBlock(error)) throw error;
        ports.onInvalidBlock(block, error);
        return false;
      })
      .then(
        (valid) => {
          if (valid !== undefined) this.dispatch({ type: "executed", hash: block.hash, valid });
        },
        (error: unknown) => this.#fail(error),
      );
  }

  /** `undefined` when the block's branch has died meanwhile. */
  async #tryExecute(
    block: Block,
    transactions: readonly RecoveredTransaction[],
    epoch: ConsensusState["epoch"],
  ): Promise<true | undefined> {
    const { ledger, ports } = this.#options;
    const isAlive = (): boolean => !this.#isStopped && ledger.has(block.parent);
    if (!isAlive()) return undefined;
    await ports.run(ledger.executing(block, transactions, epoch));
    return isAlive() ? true : undefined;
  }

  #build(effect: Extract<Effect, { type: "build" }>): void {
    const { ledger, ports } = this.#options;
    const { epoch } = this.state;
    assert(epoch.number === effect.epoch, "a block is built in the current epoch");
    const candidates = effect.emptyOnly ? [] : ports.candidates(effect.parent);
    ports
      .run(ledger.building(effect, candidates, epoch))
      .then(({ block, rejected }) => {
        if (this.#isStopped || !ledger.has(effect.parent.hash)) return;
        if (rejected.length > 0) ports.onRejected(rejected, effect.parent);
        this.dispatch({ type: "built", epoch: effect.epoch, view: effect.view, block });
      })
      .catch((error: unknown) => this.#fail(error));
  }

  #setTimer(timer: TimerName, at: number | undefined): void {
    const { clock } = this.#options;
    this.#timers.get(timer)?.();
    this.#timers.delete(timer);
    if (at === undefined) return;
    const cancel = clock.setTimer(Math.max(0, at - clock.now()), () => {
      this.#timers.delete(timer);
      this.dispatch({ type: "timer", timer });
    });
    this.#timers.set(timer, cancel);
  }
}

/** Refusals that say something about the block, and nothing about this node. */
function isAboutBlock({ code }: CodedError): boolean {
  return code.startsWith("BLOCK_") || code.startsWith("TX_");
}

/** A node of consensus alone: the real driver, inbox and core over the counter. */

import type { Hex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import type { Prng } from "../../base/prng.ts";
import { revealMessage } from "../../base/votes.ts";
import { finish, type Work } from "../../base/work.ts";
import { type ConsensusState, type Epoch, makeEpoch } from "../../chain/consensus/state.ts";
import type { Block, Message, PeerId } from "../../chain/consensus/types.ts";
import { ConsensusDriver } from "../../chain/runtime/driver.ts";
import { Inbox } from "../../chain/runtime/inbox.ts";
import type { NodeMessage } from "../../chain/wire/node-message.ts";
import { between } from "./chance.ts";
import {
  CounterApp,
  decodeBody,
  type EpochPlan,
  encodeBody,
  genesisBlock,
  hashBlock,
  nextRoot,
  sealBlock,
} from "./counter-app.ts";
import { CounterStore } from "./counter-store.ts";
import type { Lifetime } from "./lifetime.ts";
import { certificateOver, isConsensus, type NodeHost, type NodeSettings, SimNode } from "./sim-node.ts";

interface Running {
  readonly app: CounterApp;
  readonly driver: ConsensusDriver;
  readonly inbox: Inbox;
}

export class CounterNode extends SimNode {
  readonly finals: CounterStore;
  readonly #plan: EpochPlan;
  /** Transactions that clients keep sending until they are final: a restarted node hears of them again. */
  readonly #known = new Set<number>();
  #seenHeight = 0;
  #running: Running | undefined;

  constructor(settings: NodeSettings, host: NodeHost, plan: EpochPlan, genesis: Epoch) {
    super(settings, host);
    this.#plan = plan;
    this.finals = new CounterStore(genesis, this.device(3));
  }

  override get state(): ConsensusState | undefined {
    return this.#running?.driver.state;
  }

  get waitingVotes(): number {
    return this.#running?.inbox.waitingVotes ?? 0;
  }

  get waitingTransactions(): number {
    return this.#known.size;
  }

  addTransaction(id: number): void {
    this.#known.add(id);
    if (this.#running === undefined) return;
    this.#running.app.addTransaction(id);
    this.#running.driver.dispatch({ type: "work", waiting: true });
  }

  override receive(from: PeerId, message: NodeMessage): void {
    if (this.#running === undefined) return;
    // Nothing but checks comes of votes, and those end by themselves.
    if (message.type !== "vote") {
      if (!isConsensus(message) || !hashesAreRight(message)) return;
      this.host.queue.settle();
    }
    // It never rejects.
    void this.#running.inbox.receive(from, message);
  }

  protected override boot(life: Lifetime): void {
    const base = this.finals.base();
    const app = new CounterApp(this.#plan, base.final, base.epoch.root.height);
    const driver = new ConsensusDriver({
      core: this.core,
      base,
      log: this.log.open(life),
      records: this.log.records,
      ledger: this.#ledger(app),
      clock: life.clock(() => this.skew),
      ports: this.#ports(life, app),
    });
    const inbox = new Inbox({
      state: driver.state,
      verifier: this.verifier(life),
      wholeBlock: (block) => block,
      dispatch: (event) => driver.dispatch(event),
      blame: (peer) => this.host.onBlame(this, peer),
      onDropped: (error) => this.host.onAlarm(this, String(error)),
    });
    this.#running = { app, driver, inbox };
    this.#dropFinal();
    for (const id of this.#known) app.addTransaction(id);
    driver.start();
    driver.dispatch({ type: "work", waiting: app.hasWork });
  }

  protected override loseMemory(): void {
    this.#running?.driver.stop();
    this.#running = undefined;
  }

  protected override crashDisk(prng: Prng): void {
    this.finals.crash(prng);
  }

  protected override wipeChain(): void {
    this.finals.wipe();
    this.#seenHeight = 0;
  }

  protected override get forgery(): SimNode["forgery"] {
    if (this.#running === undefined) return undefined;
    const { app, driver } = this.#running;
    const { state } = driver;
    const { core, prng } = this.settings;
    return {
      blockOn: (parent, view) => {
        const epoch = state.epoch.number;
        const reveal = core.signer.sign(revealMessage(core.parameters.chainId, epoch, view));
        const time = Math.max(parent.time, this.localTime);
        const parentCertificate = certificateOver(state, parent);
        const proposer = state.own ?? 0;
        const whole = { epoch, view, parent, time, emptyOnly: false, proposer, reveal, parentCertificate };
        return app.build({ type: "build", ...whole });
      },
      variantOf: (block, rootIsRight) => {
        const parent = state.blocks.get(block.parent)?.block ?? this.finals.blockOf(block.parent);
        return variantOf(block, rootIsRight ? parent : undefined, prng);
      },
      publish: () => undefined,
    };
  }

  #ledger(app: CounterApp): ConstructorParameters<typeof ConsensusDriver>[0]["ledger"] {
    return {
      has: (hash) => app.has(hash),
      executing: (block) =>
        work(() => {
          if (!app.execute(block)) throw new CodedError("BLOCK_WRONG", "the block does not give what it claims");
          this.noteExecuted(block.hash);
        }),
      building: (effect) =>
        work(() => {
          const block = app.build(effect);
          this.noteExecuted(block.hash);
          return { block, rejected: [] };
        }),
    };
  }

  #ports(life: Lifetime, app: CounterApp): ConstructorParameters<typeof ConsensusDriver>[0]["ports"] {
    const { host, settings } = this;
    return {
      send: (to, message) => this.say(life, to, message),
      serve: (request) => this.finals.serve(request),
      recover: async () => {
        await life.wait(between(settings.prng, 0.5, 1) * settings.executionTime);
        return [];
      },
      run: async (work) => {
        life.queue.settle();
        return finish(work);
      },
      candidates: () => [],
      onRejected: () => undefined,
      commit: async (blocks, certificate) => {
        app.commit(blocks);
        await this.finals.commit(life, blocks, certificate, (block) => {
          this.#dropFinal();
          host.onBlock(this, block, certificate);
        });
        life.queue.after(0, () => this.#running?.driver.dispatch({ type: "work", waiting: app.hasWork }));
      },
      onEvidence: (evidence) => host.onEvidence(this, evidence),
      onAlarm: (reason) => host.onAlarm(this, reason),
      onInvalidBlock: () => undefined,
      onStep: (event) => {
        if (life.isOver) return;
        host.onStep(this, event.type === "message" ? event.message.type : event.type);
      },
      onFailure: (error) => this.onFailure(life, error),
    };
  }

  /** A commit may have become durable in the moment of a crash. */
  #dropFinal(): void {
    for (; this.#seenHeight < this.finals.height; this.#seenHeight++) {
      const block = this.finals.block(this.#seenHeight + 1);
      if (block !== undefined) for (const id of decodeBody(block.body).transactions) this.#known.delete(id);
    }
  }
}

export function counterEpoch(plan: EpochPlan): Epoch {
  return makeEpoch(0, plan.stakesOf(0), genesisBlock());
}

/** In one step. */
// biome-ignore lint/correctness/useYield: there is nothing between the beginning and the end.
function* work<Result>(step: () => Result): Work<Result> {
  return step();
}

/** The hash of a block is computed by whoever receives it, as a decoder of real blocks does. */
function hashesAreRight(message: Message): boolean {
  if (message.type === "proposal") return isHashRight(message.proposal.block);
  if (message.type === "block") return isHashRight(message.block);
  if (message.type !== "finals") return true;
  return message.segments.every(({ blocks }) => blocks.every(isHashRight));
}

/** Nobody changes a block that was sent, so what one receiver found holds for all. */
const rightHashes = new WeakMap<Block, Hex>();

function isHashRight(block: Block): boolean {
  const hash = rightHashes.get(block) ?? hashBlock(block);
  rightHashes.set(block, hash);
  return hash === block.hash;
}

/** Other transactions, with the right root if the parent is known. */
function variantOf(block: Block, parent: Block | undefined, prng: Prng): Block {
  const transactions = [...decodeBody(block.body).transactions, 1_000_000 + prng.below(1_000_000)];
  const root = parent === undefined ? prng.bytes(32) : nextRoot(decodeBody(parent.body).root, transactions);
  return sealBlock({ ...block, empty: false, body: encodeBody({ transactions, root }) });
}

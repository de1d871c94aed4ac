/**
 * One core among three scripted validators. Execution and the log answer at once unless a test holds them back, so that
 * each rule can be watched alone.
 */

import type { Hex } from "../../../../base/bytes.ts";
import { assert } from "../../../../base/errors.ts";
import { NO_HASH, revealMessage } from "../../../../base/votes.ts";
import { certify } from "../../../../chain/consensus/certificate.ts";
import type { Effect, Event } from "../../../../chain/consensus/events.ts";
import { leaderOf } from "../../../../chain/consensus/leader.ts";
import type { ConsensusParameters } from "../../../../chain/consensus/parameters.ts";
import { restore } from "../../../../chain/consensus/restore.ts";
import { type ConsensusState, type Epoch, makeEpoch } from "../../../../chain/consensus/state.ts";
import { step } from "../../../../chain/consensus/step.ts";
import type {
  Block,
  Certificate,
  CertificateKind,
  LogRecord,
  Message,
  Vote,
} from "../../../../chain/consensus/types.ts";
import { idAt } from "../../../../chain/consensus/validator-set.ts";
import { CounterApp, type EpochPlan, genesisBlock } from "../../../sim/counter-app.ts";
import { SIM_PARAMETERS } from "../../../sim/scenario.ts";
import { simulatedKeys } from "../../../sim/sim-crypto.ts";
import { CHAIN_ID, type TestValidators, testValidators } from "./validators.ts";

const OTHERS = [1, 2, 3];

export class CoreDriver {
  readonly parameters: ConsensusParameters = { ...SIM_PARAMETERS, chainId: CHAIN_ID };
  readonly validators: TestValidators;
  readonly epoch: Epoch;
  state: ConsensusState;
  now = 1_000;
  /** Whether fsyncs, executions and commits complete at once. */
  syncs = true;
  executes = true;
  commits = true;
  readonly log: LogRecord[] = [];
  readonly effects: Effect[] = [];
  readonly #plan: EpochPlan;
  readonly #keys = simulatedKeys();

  constructor(blocksPerEpoch = 1_000) {
    this.validators = testValidators(this.#keys);
    this.#plan = { blocksPerEpoch, stakesOf: () => this.validators.stakes };
    this.epoch = makeEpoch(0, this.validators.stakes, genesisBlock());
    this.state = this.#fresh();
    this.feed({ type: "start" });
  }

  /** Validator 0 is the core; it forgets all but the log. */
  restart(): void {
    this.state = this.#fresh();
    this.feed({ type: "start" });
  }

  #fresh(): ConsensusState {
    const options = { parameters: this.parameters, crypto: this.#keys.crypto, signer: this.validators.signers[0] };
    return restore(options, { epoch: this.epoch, final: this.epoch.root, certificate: undefined }, this.log);
  }

  feed(event: Event): void {
    for (const effect of step(this.state, this.now, event)) {
      this.effects.push(effect);
      this.#answer(effect);
    }
  }

  #answer(effect: Effect): void {
    if (effect.type === "persist") {
      if (!this.syncs) return;
      this.log.push(...effect.records);
      this.feed({ type: "synced", position: effect.position });
    } else if (effect.type === "execute" && this.executes) {
      this.feed({ type: "executed", hash: effect.block.hash, valid: true });
    } else if (effect.type === "commit" && this.commits)
      this.feed({ type: "committed", hash: effect.certificate.hash });
  }

  receive(message: Message): void {
    if (message.type === "vote") this.feed({ type: "votes", votes: [message.vote], sum: message.vote.signature });
    else this.feed({ type: "message", from: idAt(this.validators.set, 1), message });
  }

  leader(view: number): number {
    return leaderOf(this.epoch.set, this.epoch.seed, view);
  }

  /** The first view from `from` on that the core leads, or that another one leads. */
  viewLedBy(who: "core" | "another", from = 1): number {
    for (let view = from; ; view++) if ((this.leader(view) === 0) === (who === "core")) return view;
  }

  /** A block that the leader of the view may propose. */
  block(view: number, parent: Block = this.epoch.root, transactions: readonly number[] = []): Block {
    const app = new CounterApp(this.#plan, parent, 0);
    for (const id of transactions) app.addTransaction(id);
    const signer = this.validators.signers[this.leader(view)];
    assert(signer !== undefined, "every view has a leader");
    const reveal = signer.sign(revealMessage(CHAIN_ID, 0, view));
    const isRoot = parent.hash === this.epoch.root.hash;
    return app.build({
      type: "build",
      epoch: 0,
      view,
      parent,
      time: this.now,
      emptyOnly: false,
      proposer: this.leader(view),
      reveal,
      parentCertificate: isRoot ? undefined : this.certificate("NOTARIZE", parent.view, parent.hash),
    });
  }

  propose(view: number, block: Block, parentView = 0): void {
    const vote = this.validators.vote(this.leader(view), { kind: "PROPOSE", epoch: 0, view, hash: block.hash });
    this.receive({ type: "proposal", proposal: { vote, block, parentView } });
  }

  certificate(kind: CertificateKind, view: number, hash: Hex = NO_HASH): Certificate {
    const votes = OTHERS.map((index) => this.validators.vote(index, { kind, epoch: 0, view, hash }));
    const certificate = certify(votes, this.validators.set, this.#keys.crypto);
    assert(certificate !== undefined, "three of four are a quorum");
    return certificate;
  }

  certify(kind: CertificateKind, view: number, hash: Hex = NO_HASH): void {
    this.receive({ type: "certificate", certificate: this.certificate(kind, view, hash) });
  }

  /** Nullifies all views from the current one up to, and without, that view. */
  skipTo(view: number): void {
    while (this.state.view < view) this.certify("NULLIFY", this.state.view);
  }

  timeOut(): void {
    this.feed({ type: "timer", timer: "view" });
  }

  /** The core's own votes that were sent, each as `KIND view hash`. */
  get sent(): string[] {
    const votes = this.effects.flatMap((effect): Vote[] => {
      if (effect.type !== "send" || effect.to !== "all") return [];
      if (effect.message.type === "proposal") return [effect.message.proposal.vote];
      return effect.message.type === "vote" ? [effect.message.vote] : [];
    });
    const own = votes.filter(({ validator }) => validator === 0);
    return own.map(({ kind, view, hash }) => `${kind} ${view} ${hash.slice(0, 10)}`);
  }

  of<Type extends Effect["type"]>(type: Type): Extract<Effect, { type: Type }>[] {
    return this.effects.filter((effect): effect is Extract<Effect, { type: Type }> => effect.type === type);
  }
}

export function voteText(kind: string, view: number, hash: Hex = NO_HASH): string {
  return `${kind} ${view} ${hash.slice(0, 10)}`;
}

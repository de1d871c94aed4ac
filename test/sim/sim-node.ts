/** A simulated node: what all kinds of them have, and what a crash does to it. */

import type { Hex } from "../../base/bytes.ts";
import type { Prng } from "../../base/prng.ts";
import { voteMessage } from "../../base/votes.ts";
import { type CheckResult, checkJob } from "../../chain/consensus/check-job.ts";
import type { Signer } from "../../chain/consensus/crypto.ts";
import type { ConsensusState, CoreOptions, Epoch, FinalBase } from "../../chain/consensus/state.ts";
import type { Block, Certificate, Evidence, Message, PeerId, Vote } from "../../chain/consensus/types.ts";
import type { ValidatorId } from "../../chain/consensus/validator-set.ts";
import type { Verifier } from "../../chain/verification/verifier.ts";
import type { NodeMessage } from "../../chain/wire/node-message.ts";
import type { Actor, ActorContext, Outgoing } from "./actors/actor.ts";
import { between } from "./chance.ts";
import { describeError } from "./describe-error.ts";
import { Device } from "./device.ts";
import type { EventQueue } from "./event-queue.ts";
import { Lifetime } from "./lifetime.ts";
import type { Receivers } from "./receivers.ts";
import { SimLog } from "./sim-log.ts";

/** What the node does to the world around it. */
export interface NodeHost {
  readonly queue: EventQueue;
  transmit(from: SimNode, to: Receivers, message: NodeMessage): void;
  /** After every step of its core. */
  onStep(node: SimNode, what: string): void;
  onSend(node: SimNode, message: NodeMessage): void;
  /** The block is durable. */
  onBlock(node: SimNode, block: Block, certificate: Certificate): void;
  onEvidence(node: SimNode, evidence: Evidence): void;
  /** A peer sent something with a false signature or proof. */
  onBlame(node: SimNode, peer: PeerId): void;
  /** What an operator would have to be told. */
  onAlarm(node: SimNode, reason: string): void;
  /** Its disk or program failed, and it stands still. */
  onFailure(node: SimNode, reason: string): void;
  /** Between any two writes: where a crash may strike. */
  onWriteBoundary(node: SimNode): void;
}

export interface NodeSettings {
  readonly index: number;
  readonly core: CoreOptions & { readonly signer: Signer };
  readonly prng: Prng;
  readonly actor: Actor | undefined;
  readonly conspiracy: ActorContext["conspiracy"];
  /** Milliseconds for executing a block. */
  readonly executionTime: number;
  /** The most that a write takes. */
  readonly writeTime: number;
  /** Milliseconds that the node's clock is ahead at first. */
  readonly skew: number;
}

/** The final chain as the node's disk has it. */
export interface FinalView {
  readonly height: number;
  /** The epoch after the last block. */
  readonly lastEpoch: number;
  epoch(number: number): Epoch | undefined;
  block(height: number): Block | undefined;
  blockOf(hash: Hex): Block | undefined;
  base(): FinalBase;
}

/** The longest that a check of signatures takes, in milliseconds. */
const CHECK_TIME = 1.5;

export abstract class SimNode {
  readonly index: number;
  readonly id: ValidatorId;
  readonly actor: Actor | undefined;
  readonly log: SimLog;
  peers: readonly PeerId[] = [];
  /** How often its actor said something else than its core would. */
  lies = 0;
  /** Milliseconds that the node's clock is ahead: a clock that is set may go back. */
  skew: number;
  protected readonly settings: NodeSettings;
  protected readonly host: NodeHost;
  readonly #executed = new Set<Hex>();
  #isFollower = false;
  #hasLostChain = false;
  #life: Lifetime | undefined;

  constructor(settings: NodeSettings, host: NodeHost) {
    this.index = settings.index;
    this.id = settings.core.signer.id;
    this.actor = settings.actor;
    this.skew = settings.skew;
    this.settings = settings;
    this.host = host;
    this.log = new SimLog(this.device(1));
  }

  /** `undefined` while the node is down, or is catching up before its core starts. */
  abstract get state(): ConsensusState | undefined;
  abstract get finals(): FinalView;
  abstract receive(from: PeerId, message: NodeMessage): void;
  protected abstract boot(life: Lifetime): void;
  protected abstract loseMemory(): void;
  protected abstract crashDisk(prng: Prng): void;
  protected abstract wipeChain(): void;
  /** For liars: a block of the own on any parent that has executed, the like of a block, and gossip. */
  protected abstract readonly forgery: Pick<ActorContext, "blockOn" | "variantOf" | "publish"> | undefined;

  get isHonest(): boolean {
    return this.actor === undefined;
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  /** Whether it signs: a node that lost its disk does not. */
  get isValidator(): boolean {
    return !this.#isFollower;
  }

  get localTime(): number {
    return Math.floor(this.host.queue.now + this.skew);
  }

  /** Whether it was ever without its chain while the network ran: then there is much to catch up with. */
  get isLate(): boolean {
    return this.#isFollower || this.#hasLostChain;
  }

  start(): void {
    if (this.#life !== undefined) return;
    this.#life = new Lifetime(this.host.queue);
    this.boot(this.#life);
  }

  crash(): void {
    if (this.#life === undefined) return;
    this.#life.isOver = true;
    this.#life = undefined;
    this.loseMemory();
    const { prng } = this.settings;
    this.log.crash(prng);
    this.crashDisk(prng);
  }

  /**
   * The disk is lost, and with it the guard: whatever the key signed may be forgotten, so it signs no more. The node
   * starts again as a follower.
   */
  wipe(): void {
    this.crash();
    this.log.wipe();
    this.wipeChain();
    this.#isFollower = true;
  }

  /** The chain is lost, and the log of what was signed is not: the node comes back as the validator it was. */
  loseChain(): void {
    this.crash();
    this.wipeChain();
    this.#hasLostChain = true;
  }

  /** Ever, and with the right result: after a restart it signs its old votes again before executing again. */
  hasExecuted(hash: Hex): boolean {
    return this.#executed.has(hash);
  }

  protected noteExecuted(hash: Hex): void {
    this.#executed.add(hash);
  }

  /** What its core begins with. */
  protected get core(): CoreOptions {
    return { ...this.settings.core, signer: this.signer, floor: this.log.floor };
  }

  protected get signer(): Signer | undefined {
    return this.#isFollower ? undefined : this.settings.core.signer;
  }

  /** So many times slower than the log's. */
  protected device(slower: number): Device {
    const { prng, writeTime } = this.settings;
    return new Device(prng, slower * writeTime, () => this.host.onWriteBoundary(this));
  }

  protected verifier(life: Lifetime): Pick<Verifier, "check"> {
    const { core, prng } = this.settings;
    return {
      check: async (job): Promise<CheckResult> => {
        await life.wait(between(prng, 0.1, CHECK_TIME));
        return checkJob(job, core.parameters.chainId, core.crypto);
      },
    };
  }

  protected onFailure(life: Lifetime, error: unknown): void {
    if (!life.isOver) this.host.onFailure(this, describeError(error));
  }

  protected say(life: Lifetime, to: Receivers, message: NodeMessage): void {
    if (life.isOver) return;
    if (this.actor === undefined) {
      this.host.onSend(this, message);
      this.host.transmit(this, to, message);
      return;
    }
    const context = this.#actorContext();
    // Who has no seat, or has not started yet, cannot take part in consensus; it asks and answers all the same.
    if (isConsensus(message) && context?.state.own === undefined) return;
    if (context === undefined) this.host.transmit(this, to, message);
    else this.#lie(this.actor, context, { to, message });
  }

  #lie(actor: Actor, context: ActorContext, said: Outgoing): void {
    const words = [...actor.outgoing(context, said)];
    if (words.length !== 1 || words[0] !== said) this.lies++;
    for (const { to, message } of words) this.host.transmit(this, to, message);
  }

  #actorContext(): ActorContext | undefined {
    const { state, forgery } = this;
    if (state === undefined || forgery === undefined) return undefined;
    const { core, prng, conspiracy } = this.settings;
    return {
      prng,
      peers: this.peers,
      conspiracy,
      state,
      sign: (content): Vote => ({
        ...content,
        validator: state.own ?? 0,
        signature: core.signer.sign(voteMessage(core.parameters.chainId, content)),
      }),
      ...forgery,
    };
  }
}

const CONSENSUS_TYPES: ReadonlySet<string> = new Set<Message["type"]>([
  "proposal",
  "vote",
  "certificate",
  "block",
  "finals",
  "fetch-block",
  "fetch-certificates",
  "fetch-finals",
]);

export function isConsensus(message: NodeMessage): message is Message {
  return CONSENSUS_TYPES.has(message.type);
}

/** What a block on that parent carries: the votes for it, unless it is the epoch's root. */
export function certificateOver(state: ConsensusState, parent: Block): Certificate | undefined {
  if (parent.hash === state.epoch.root.hash) return undefined;
  return parent.hash === state.final.hash ? state.finalCertificate : state.rounds.get(parent.view)?.notarization;
}

/**
 * A node: mempool, ledger, consensus and network over an open store. With a signer it validates, without one it
 * follows; without a network it is a chain of one. What readers see of it (head, receipts, state) is final and durable.
 */

import { bytesToHex } from "../../base/bytes.ts";
import type { CodedError } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { Offence } from "../../base/votes.ts";
import type { Run } from "../../base/work.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import type { RecoveredTransaction, RejectedTransaction } from "../../vm/execution/execute-block.ts";
import type { ExecutionRules } from "../../vm/execution/rules.ts";
import { rulesOfSpec } from "../../vm/rules-of-spec.ts";
import type { Address } from "../../vm/state/account.ts";
import { consensusBlockOf } from "../blocks/consensus-block.ts";
import { baseFeeAfter } from "../blocks/header.ts";
import type { Crypto, Signer } from "../consensus/crypto.ts";
import type { Event } from "../consensus/events.ts";
import { isLinked } from "../consensus/final-segment.ts";
import type { SignFloor } from "../consensus/guard.ts";
import { MAX_FINALS_SENT } from "../consensus/limits.ts";
import type { ConsensusState } from "../consensus/state.ts";
import type { Block, Certificate, Evidence, FinalSegment, LogRecord, Message, Request } from "../consensus/types.ts";
import { consensusParametersOf } from "../consensus-parameters.ts";
import type { MempoolJournal } from "../mempool/journal.ts";
import { Mempool } from "../mempool/mempool.ts";
import { type ClaimedTransaction, claimOf } from "../senders/claim.ts";
import type { SenderPool } from "../senders/sender-pool.ts";
import type { ChainHead, ChainStore } from "../store/chain-store.ts";
import { FinalisedChain } from "../store/finalised-chain.ts";
import type { FinalBlock } from "../store/write-block.ts";
import type { Verifier } from "../verification/verifier.ts";
import { recoverBlock } from "./block-senders.ts";
import { bugReports } from "./bug-reports.ts";
import { candidateOptions, isPostponed } from "./candidates.ts";
import { ChainReader } from "./chain-reader.ts";
import type { Clock } from "./clock.ts";
import { CommitQueue } from "./commit-queue.ts";
import { ConsensusDriver, type DriverLog } from "./driver.ts";
import type { EvidenceBook, SeenOffence } from "./evidence-book.ts";
import { answerRequest, finalBase } from "./final-blocks.ts";
import { Inbox } from "./inbox.ts";
import { type BatchJudgement, type Outcome, TransactionIntake } from "./intake.ts";
import { Ledger } from "./ledger.ts";
import { HOUSEKEEPING_INTERVAL } from "./limits.ts";
import { type NodeLog, type SubsystemLog, sayDropped } from "./node-log.ts";
import { countVote, isBehind, type NodeMeter } from "./node-meter.ts";
import type { NodeNetwork, Peer } from "./node-network.ts";
import { type NodeStatus, nodeStatus } from "./node-status.ts";
import { OwnTransactions } from "./own-transactions.ts";
import { type ProgressBoard, progressOfChain } from "./progress-board.ts";
import { ProtocolWork } from "./protocol-work.ts";
import { type KnownTransaction, SenderCache } from "./sender-cache.ts";
import { SentBlocks, ServingBudget } from "./serving-budget.ts";
import { stakingValidators, type ValidatorSource } from "./validator-source.ts";

/** The parts, opened by whoever starts the node (open-node.ts), who also closes them. */
export interface NodeParts {
  readonly spec: ChainSpec;
  /** Has at least genesis. */
  readonly store: ChainStore;
  readonly log: DriverLog;
  readonly records: readonly LogRecord[];
  readonly floor?: SignFloor;
  readonly journal: Pick<MempoolJournal, "append" | "isCompactionDue" | "compact">;
  /** Offences of validators that were seen. */
  readonly evidence: Pick<EvidenceBook, "entries" | "add">;
  readonly senders: Pick<SenderPool, "recover">;
  readonly verifier: Pick<Verifier, "check">;
  readonly crypto: Crypto;
  /** Without one the node follows and signs nothing. */
  readonly signer?: Signer | undefined;
  /** Receives the tips of the own blocks. */
  readonly coinbase: Address;
  readonly validators?: ValidatorSource;
  /** Names of the upgrades that the program knows; those of this one otherwise. */
  readonly knownUpgrades?: readonly string[];
  /** Records of the consensus log before it is rewritten, where the usual number is too many. */
  readonly logLimit?: number;
  readonly clock: Clock;
  /** As the driver's port. */
  readonly run: Run;
  readonly say: NodeLog;
  readonly meter: NodeMeter;
  /** The disk or the program failed: the node has to stop. */
  readonly onFailure: (error: unknown) => void;
}

export class Node extends ChainReader {
  readonly mempool: Mempool;
  readonly progress: ProgressBoard;
  readonly #parts: NodeParts;
  readonly #rules: ExecutionRules;
  readonly #chain: FinalisedChain;
  readonly #ledger: Ledger;
  readonly #driver: ConsensusDriver;
  readonly #inbox: Inbox;
  readonly #intake: TransactionIntake;
  readonly #commits: CommitQueue;
  readonly #ownTransactions = new OwnTransactions();
  readonly #listeners = new Set<(block: ChainHead) => void>();
  readonly #waitingListeners = new Set<(transaction: RecoveredTransaction) => void>();
  readonly #say: SubsystemLog;
  readonly #budget: ServingBudget;
  readonly #sentBlocks: SentBlocks;
  readonly #senders: SenderCache;
  readonly #protocolWork: ProtocolWork;
  #network: NodeNetwork | undefined;
  /** Of the last step. */
  #epoch: ConsensusState["epoch"];
  #isWorkWaiting = false;
  /** Who is asked next when nobody in particular is. */
  #turn = 0;
  #heightAtLastLook = -1;
  #cancelHousekeeping: (() => void) | undefined;
  #isStopped = false;

  constructor(parts: NodeParts) {
    const mempool = new Mempool();
    super(parts.spec, parts.store, mempool);
    const { spec, store } = parts;
    this.mempool = mempool;
    this.#parts = parts;
    this.#say = parts.say("consensus");
    this.#budget = new ServingBudget(parts.clock.now());
    this.#sentBlocks = new SentBlocks(parts.clock.now());
    this.#senders = new SenderCache((raws, claims) => parts.senders.recover(raws, claims));
    this.#rules = rulesOfSpec(spec, parts.knownUpgrades);
    this.#chain = new FinalisedChain(store);
    const usual = consensusParametersOf(spec);
    const parameters = { ...usual, logLimit: parts.logLimit ?? usual.logLimit };
    this.#ledger = new Ledger({
      rules: this.#rules,
      gasLimit: spec.block.gasLimit,
      capDivisor: BigInt(spec.consensus.weightCapDivisor),
      validators: parts.validators ?? stakingValidators(spec),
      final: this.#chain,
      coinbase: parts.coinbase,
      ...bugReports(parts.say("node"), parts.meter),
    });
    this.#protocolWork = new ProtocolWork(parts.clock, usual.heartbeat, () => this.#updateWork());
    this.#driver = this.#makeDriver(parameters);
    this.#epoch = this.#driver.state.epoch;
    this.#inbox = new Inbox({
      state: this.#driver.state,
      verifier: parts.verifier,
      wholeBlock: ({ body }) => consensusBlockOf(body),
      dispatch: (event) => this.#driver.dispatch(event),
      blame: (peer) => this.#blame(peer),
      onDropped: (error) => sayDropped(this.#say, error),
    });
    this.#intake = this.#makeIntake();
    this.progress = progressOfChain(parts, () => this.#network);
    this.#commits = new CommitQueue(this.#chain, this.#ledger, parts.run, {
      onBlock: (block) => this.#onBlock(block),
      onCommit: (blocks, certificate) => this.#onCommit(blocks, certificate),
    });
  }

  /** What consensus knows, for looking at. */
  get consensus(): Readonly<ConsensusState> {
    return this.#driver.state;
  }

  /** Offences of validators that this node has seen, now or before it was started again. */
  get evidence(): readonly SeenOffence[] {
    return this.#parts.evidence.entries;
  }

  get peers(): number {
    return this.#network?.peers().length ?? 0;
  }

  status(): NodeStatus {
    const { consensus, evidence } = this;
    const peers = this.#network?.peers() ?? [];
    return nodeStatus({ consensus, evidence, peers, coinbase: this.#parts.coinbase });
  }

  /** Begins to take part. `waiting` is what the journal held. */
  async start(network: NodeNetwork | undefined, waiting: readonly Uint8Array[] = []): Promise<void> {
    this.#network = network;
    this.#parts.meter.opened(this.head.number);
    // First: peers are heard from now on, and a long journal must not keep a validator silent.
    this.#driver.start();
    const own = waiting.map((raw) => ({ hash: bytesToHex(keccak256(raw)) }));
    this.#ownTransactions.add(own, Number.NEGATIVE_INFINITY);
    const reloaded = await this.#intake.reload(waiting);
    if (this.#isStopped) return;
    if (waiting.length > 0) this.#parts.say("mempool").info({ journal: waiting.length, reloaded }, "journal read");
    this.#protocolWork.look(this.#parts.store.state().reader);
    this.#updateWork();
    this.#keepHouse();
  }

  /** Answers what is under way and takes nothing more. The parts are still open. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelHousekeeping?.();
    this.#protocolWork.stop();
    await this.#intake.close();
    this.#driver.stop();
    await this.#commits.settled();
  }

  /** Called for every new block, once it is durable. Answers with what ends the subscription. */
  onBlock(listener: (block: ChainHead) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called for every transaction that begins to wait. Answers with what ends the subscription. */
  onWaiting(listener: (transaction: RecoveredTransaction) => void): () => void {
    this.#waitingListeners.add(listener);
    return () => this.#waitingListeners.delete(listener);
  }

  /**
   * Takes a signed transaction, to be in a block soon. Resolves with its hash when a kill would not lose it. Rejects with
   * a TransactionError, a MEMPOOL_ error, NODE_BUSY or NODE_STOPPING.
   */
  async submit(raw: Uint8Array): Promise<Uint8Array> {
    return await this.#intake.submit(raw);
  }

  /** As `submit`, of several in their order, whose senders a thread of ours has recovered: what became of each. */
  async submitKnown(known: readonly KnownTransaction[]): Promise<readonly Outcome[]> {
    return await this.#intake.take(known.map((each) => this.#senders.know(each)));
  }

  /** A message of consensus from a peer. */
  receive(from: string, message: Message): void {
    countVote(this.#parts.meter, message, "received");
    // The promise never rejects: what cannot be checked is dropped by the inbox.
    void this.#inbox.receive(from, message);
  }

  /** Somebody is there who may be ahead: waiting for the next look at all peers would only cost time. */
  onPeer({ peer, height }: Peer): void {
    if (height > this.consensus.final.height + 1) this.#driver.dispatch({ type: "ahead", from: peer });
  }

  receiveTransactions(batch: readonly ClaimedTransaction[], from = ""): Promise<BatchJudgement> {
    return this.#intake.receive(batch, from);
  }

  /** What is handed on was checked: or else anybody could fill the lines of all followers with anything. */
  async receiveFinalBlock(from: string, segment: FinalSegment): Promise<BatchJudgement> {
    if (!isLinked(segment)) return "reject";
    if ((segment.blocks.at(-1)?.height ?? 0) <= this.consensus.final.height) return "ignore";
    const judgement = await this.#inbox.receive(from, { type: "finals", segments: [segment] });
    if (judgement === "ignored") return "ignore";
    return judgement === "good" ? "accept" : "reject";
  }

  #makeDriver(parameters: ReturnType<typeof consensusParametersOf>): ConsensusDriver {
    const { spec, store, log, records, floor, signer, crypto, clock } = this.#parts;
    const { onFailure } = this.#parts;
    return new ConsensusDriver({
      core: { parameters, crypto, signer, ...(floor && { floor }) },
      base: finalBase(store, spec),
      log,
      records,
      ledger: this.#ledger,
      clock,
      ports: {
        send: (to, message) => this.#send(to, message),
        serve: (request, to) => this.#serve(request, to),
        recover: (block) => recoverBlock(block, this.mempool, (unknown) => this.#senders.recover(unknown)),
        run: (work) => this.#parts.run(work),
        candidates: (parent) => this.#candidates(parent),
        onRejected: (rejected, parent) => this.#onRejected(rejected, parent),
        commit: (blocks, certificate) => this.#commits.commit(blocks, certificate),
        onEvidence: (evidence, offence) => this.#onEvidence(evidence, offence),
        onAlarm: (reason) => this.#onAlarm(reason),
        onInvalidBlock: (block, reason) => this.#onInvalidBlock(block, reason),
        onStep: (event, state) => this.#onStep(event, state),
        onFailure,
      },
    });
  }

  #serve(request: Request, to: string): Message | undefined {
    const { store, clock } = this.#parts;
    const blocks = request.type === "fetch-finals" ? MAX_FINALS_SENT : 1;
    // Nothing is read for somebody who asks for what does not exist yet: peers do so all the time.
    if (request.type === "fetch-finals" && request.height >= (store.head?.number ?? 0)) return undefined;
    return this.#budget.allows(to, blocks, clock.now()) ? answerRequest(store, request) : undefined;
  }

  #makeIntake(): TransactionIntake {
    const { journal, clock, spec, store } = this.#parts;
    return new TransactionIntake({
      mempool: this.mempool,
      rules: this.#rules,
      gasLimit: spec.block.gasLimit,
      state: () => store.state().reader,
      baseFee: () => baseFeeAfter(this.head.header),
      now: () => clock.now(),
      recover: (transactions) => this.#senders.recover(transactions),
      isRecovered: (hash) => this.#senders.has(hash),
      onWaste: (peer) => this.#network?.penalise(peer, "useless"),
      journal: (raws) => journal.append(raws),
      publish: (added) => {
        const hashes = added.map(({ transaction }) => ({ hash: bytesToHex(transaction.hash) }));
        this.#ownTransactions.add(hashes, clock.now());
        const claimed = added.map(({ transaction, sender }) => ({ raw: transaction.raw, claim: claimOf(sender) }));
        this.#network?.publishTransactions(claimed);
      },
      onAdded: (added) => {
        this.#updateWork();
        for (const listener of this.#waitingListeners) for (const transaction of added) listener(transaction);
      },
      onFailure: (error) => this.#say.error({ error }, "transactions of peers are not in the journal"),
    });
  }

  /** A node outside the validator set has nothing to say to others; requests go to whoever is there. */
  #send(to: string, message: Message): void {
    const network = this.#network;
    if (network === undefined) return;
    countVote(this.#parts.meter, message, "sent");
    if (to === "all" || to === "some") {
      const most = to === "some" ? this.consensus.parameters.certificateFanout : undefined;
      if (this.consensus.own !== undefined) network.broadcast(message, "validators", most);
      return;
    }
    if (!this.#sentBlocks.allows(to, message, this.#parts.clock.now())) return;
    if (network.send(to, message) || !message.type.startsWith("fetch-")) return;
    const peers = network.peers();
    const other = peers[this.#turn++ % Math.max(1, peers.length)];
    if (other !== undefined) network.send(other.peer, message);
  }

  #candidates(parent: Block): readonly RecoveredTransaction[] {
    const { reader } = this.#ledger.state(parent.hash);
    const baseFee = baseFeeAfter(this.#ledger.header(parent.hash));
    const { gasLimit } = this.spec.block;
    return this.mempool.select(candidateOptions(reader, { rules: this.#rules, gasLimit, baseFee }));
  }

  /** What fails on a block that may not become final may still be right on another. */
  #onRejected(rejected: readonly RejectedTransaction[], parent: Block): void {
    if (parent.hash !== this.consensus.final.hash) return;
    for (const { transaction, error } of rejected) {
      if (!isPostponed(error)) this.mempool.remove(bytesToHex(transaction.hash));
    }
  }

  #onBlock({ header, hash, executed }: FinalBlock): void {
    const { reader } = this.#parts.store.state();
    const { clock, meter } = this.#parts;
    this.mempool.onBlock(
      executed.included,
      (address) => reader.account(address),
      clock.now(),
      executed.changes.accounts.keys(),
    );
    this.#intake.onBlock(executed.included.map(({ sender }) => sender));
    meter.block(Number(header.number), executed.included.length);
    const head = { number: Number(header.number), header, hash };
    for (const listener of this.#listeners) listener(head);
  }

  #onCommit(blocks: readonly Block[], certificate: Certificate): void {
    const last = blocks.at(-1);
    const { clock, meter } = this.#parts;
    const heights = this.#network?.peers().map(({ height }) => height) ?? [];
    if (!isBehind(last?.height ?? 0, heights)) {
      for (const { time } of blocks) meter.finality(Math.max(0, clock.now() - time) / 1000);
    }
    this.#protocolWork.look(this.#parts.store.state().reader);
    this.#updateWork();
    const isOwn = last !== undefined && last.proposer === this.consensus.own;
    if (isOwn) this.#network?.publishFinalBlock({ blocks, certificate });
  }

  /** Whether a block is due for what waits. */
  #updateWork(): void {
    const { head } = this;
    const { reader } = this.#parts.store.state();
    const nonceOf = (sender: Address): bigint => reader.account(sender)?.nonce ?? 0n;
    const waiting = this.#protocolWork.isDue || this.mempool.hasReady(baseFeeAfter(head.header), nonceOf);
    if (waiting === this.#isWorkWaiting) return;
    this.#isWorkWaiting = waiting;
    this.#driver.dispatch({ type: "work", waiting });
  }

  #onEvidence(evidence: Evidence, offence: Offence): void {
    const { validator, epoch, view } = evidence.first;
    this.#parts.meter.evidence();
    this.#say.warn({ offence, validator, epoch, view }, "a validator broke the rules");
    // The step that found it may have ended the epoch.
    const { set } = this.consensus.epoch.number === epoch ? this.consensus.epoch : this.#epoch;
    const publicKey = set.ids[validator];
    if (publicKey !== undefined) this.#parts.evidence.add(publicKey, evidence);
  }

  #onAlarm(reason: string): void {
    this.#parts.meter.alarm();
    this.#say.error({ reason }, "what must not happen has happened: a third or more of the stake is faulty, or a bug");
  }

  #onInvalidBlock({ height, hash }: Block, reason: CodedError): void {
    this.#say.warn({ height, hash, code: reason.code, reason: reason.message }, "a proposed block is invalid");
  }

  #onStep(_: Event, { view, epoch, final }: ConsensusState): void {
    this.#epoch = epoch;
    this.#parts.meter.view(epoch.number, view, final.height);
  }

  #blame(peer: string): void {
    this.#say.info({ peer }, "a peer sent a false signature");
    this.#network?.penalise(peer, "invalid");
  }

  #keepHouse(): void {
    const { clock, meter } = this.#parts;
    this.#cancelHousekeeping = clock.setTimer(HOUSEKEEPING_INTERVAL, () => {
      this.mempool.expire(clock.now());
      this.#compactJournal();
      this.#askWhoIsAhead();
      const waiting = this.#ownTransactions.takeDue(this.mempool, clock.now());
      if (waiting.length > 0) this.#network?.publishTransactions(waiting);
      meter.gauges({ peers: this.peers, transactions: this.mempool.size, bytes: this.mempool.bytes });
      this.#keepHouse();
    });
  }

  #compactJournal(): void {
    const { journal, onFailure } = this.#parts;
    if (!journal.isCompactionDue(this.mempool.size)) return;
    const live = (): Uint8Array[] => [...this.mempool.entries()].map(({ transaction }) => transaction.raw);
    journal.compact(live).catch(onFailure);
  }

  /** Finality usually comes by itself; whoever stands still while a peer is ahead asks. */
  #askWhoIsAhead(): void {
    const { height } = this.consensus.final;
    const stands = height === this.#heightAtLastLook;
    this.#heightAtLastLook = height;
    if (!stands) return;
    const ahead = this.#network?.peers().filter((peer) => peer.height > height) ?? [];
    const other = ahead[this.#turn++ % Math.max(1, ahead.length)];
    if (other !== undefined) this.#driver.dispatch({ type: "ahead", from: other.peer });
  }
}

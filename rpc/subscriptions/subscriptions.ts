/**
 * Who is told of what. Subscribers to the same share one group, whose message is encoded once for all of them. Blocks and
 * waiting transactions come in from the thread's feed; what they say is read only if somebody wants to know.
 *
 * Thousands of filters that all differ and all match are thousands of messages for each log of a block, and one filter may
 * match thousands of logs: they are told for a slice of time, then everybody else has a turn. Sockets too: a client that
 * reads as fast as it can has no more waiting for it than what a slice says.
 */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import type { SeenProgress } from "../../chain/runtime/progress-board.ts";
import type { StoredHeader } from "../../chain/store/block-records.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Log } from "../../vm/receipt/log.ts";
import { isLoopback } from "../addresses.ts";
import type { ChainReads } from "../chain-view.ts";
import { receiptHash } from "../find-transaction.ts";
import { headerJson, logText, quantityText, transactionJson } from "../format.ts";
import { MAX_BLOCKS_TOLD, type RpcLimits, SLICE_MILLISECONDS, SUBSCRIPTIONS_SHARE } from "../limits.ts";
import { filterWeight, LogMatcher } from "../log-filter.ts";
import { progressJson } from "../progress-json.ts";
import type { Subscriber } from "../request-budget.ts";
import { REFUSED, RpcError } from "../rpc-error.ts";
import type { Now } from "../turns.ts";
import { textFrame } from "./frame.ts";
import { type Namespace, subscriptionId, type Topic, topicKey } from "./topic.ts";

interface Group {
  readonly id: Hex;
  readonly namespace: Namespace;
  readonly topic: Topic;
  /** Of logs. */
  readonly matcher: LogMatcher | undefined;
  /** As how many subscriptions each subscriber's counts. */
  readonly weight: number;
  readonly subscribers: Set<Subscriber>;
}

/** A block whose logs some groups have yet to be told of. */
type LogWork = Iterator<{ readonly group: Group; readonly log: FoundLog } | undefined>;

interface Own {
  readonly address: string;
  readonly groups: Set<Group>;
}

export interface SubscriptionsOptions {
  readonly chain: ChainReads;
  readonly limits: RpcLimits;
  /** Whether anybody wants to hear of waiting transactions. Called when that changes. */
  readonly watchPending: (wanted: boolean) => void;
  readonly now?: Now;
}

export class Subscriptions {
  private readonly options: SubscriptionsOptions;
  private readonly groups = new Map<Hex, Group>();
  private readonly bySubscriber = new Map<Subscriber, Own>();
  /** How many each address has. */
  private readonly byAddress = new Map<string, number>();
  private readonly logWork: LogWork[] = [];
  private isScheduled = false;
  private total = 0;
  private pendingGroups = 0;

  constructor(options: SubscriptionsOptions) {
    this.options = options;
  }

  get size(): number {
    return this.total;
  }

  /** Answers with the subscription's id. Throws RPC_TOO_MANY_SUBSCRIPTIONS. */
  add(subscriber: Subscriber, address: string, namespace: Namespace, topic: Topic): Hex {
    const own = this.ownOf(subscriber, address);
    const weight = topic.kind === "logs" ? filterWeight(topic.filter) : 1;
    this.checkRoom(own, weight);
    const key = topicKey(namespace, topic);
    const ids = new Set([...own.groups].map(({ id }) => id));
    let ordinal = 0;
    while (ids.has(subscriptionId(key, ordinal))) ordinal++;
    const group = this.group(subscriptionId(key, ordinal), namespace, topic);
    group.subscribers.add(subscriber);
    own.groups.add(group);
    this.count(own.address, weight);
    return group.id;
  }

  /** False: the subscriber has no such subscription. */
  remove(subscriber: Subscriber, id: Hex): boolean {
    const group = this.groups.get(id);
    const own = this.bySubscriber.get(subscriber);
    if (group === undefined || own === undefined || !own.groups.delete(group)) return false;
    this.leave(group, subscriber, own.address);
    return true;
  }

  onBlock(block: StoredHeader): void {
    const wanted: Group[] = [];
    for (const group of this.groups.values()) {
      const { topic, matcher } = group;
      if (topic.kind === "newHeads") this.tell(group, JSON.stringify(headerJson(block)));
      else if (topic.kind === "finality") this.tell(group, JSON.stringify(this.finality(block)));
      else if (matcher?.mayMatch(block.header.logsBloom) === true) wanted.push(group);
    }
    if (wanted.length === 0) return;
    // Whoever makes more work than there is time for must not be able to make it pile up.
    if (this.logWork.length >= MAX_BLOCKS_TOLD) this.tellLogs(Number.POSITIVE_INFINITY);
    this.logWork.push(matchesOf(wanted, logsOf(this.options.chain, block)));
    if (!this.isScheduled) this.tellLogs(SLICE_MILLISECONDS);
  }

  /** Each as JSON once: one connection alone may have a hundred subscriptions to the same. */
  onPending(transactions: readonly RecoveredTransaction[]): void {
    const whole: Group[] = [];
    const byHash: Group[] = [];
    for (const group of this.groups.values()) {
      if (group.topic.kind === "newPendingTransactions") (group.topic.isFull ? whole : byHash).push(group);
    }
    for (const { transaction, sender } of transactions) {
      const hash = JSON.stringify(bytesToHex(transaction.hash));
      for (const group of byHash) this.tell(group, hash);
      if (whole.length === 0) continue;
      const json = JSON.stringify(transactionJson(transaction, sender, undefined));
      for (const group of whole) this.tell(group, json);
    }
  }

  /** The block at a glance, as JSON made once for all. */
  onFacts(facts: () => object): void {
    this.tellAll("blocks", facts);
  }

  onAnomaly(anomaly: object): void {
    this.tellAll("anomalies", () => anomaly);
  }

  onProgress(progress: SeenProgress): void {
    const job = String(progress.job);
    let text: string | undefined;
    for (const group of this.groups.values()) {
      const { topic } = group;
      if (topic.kind !== "progress" || (topic.job !== undefined && topic.job !== job)) continue;
      text ??= JSON.stringify(progressJson(progress));
      this.tell(group, text);
    }
  }

  onSyncing(status: unknown): void {
    for (const group of this.groups.values())
      if (group.topic.kind === "syncing") this.tell(group, JSON.stringify(status));
  }

  private tellAll(kind: Topic["kind"], result: () => object): void {
    let text: string | undefined;
    for (const group of this.groups.values()) {
      if (group.topic.kind !== kind) continue;
      text ??= JSON.stringify(result());
      this.tell(group, text);
    }
  }

  /** Of one block after the other, for so long. */
  private tellLogs(milliseconds: number): void {
    const { now = () => performance.now() } = this.options;
    const end = now() + milliseconds;
    for (let work = this.logWork[0]; work !== undefined; work = this.logWork[0]) {
      const { value: match, done } = work.next();
      if (done === true) this.logWork.shift();
      else if (match !== undefined) this.tell(match.group, match.log.json());
      if (now() >= end && this.logWork.length > 0) {
        this.tellLater();
        return;
      }
    }
  }

  private tellLater(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.tellLogs(SLICE_MILLISECONDS);
    });
  }

  private checkRoom({ address, groups }: Own, weight: number): void {
    const { subscriptions, subscriptionsPerConnection } = this.options.limits;
    const held = [...groups].reduce((sum, group) => sum + group.weight, 0);
    if (held + weight > subscriptionsPerConnection)
      throw tooMany(`a connection has at most ${subscriptionsPerConnection}`);
    if (this.total + weight > subscriptions) throw tooMany(`the node has at most ${subscriptions}`);
    const most = Math.floor(SUBSCRIPTIONS_SHARE * subscriptions);
    if (!isLoopback(address) && (this.byAddress.get(address) ?? 0) + weight > most) {
      throw tooMany(`an address has at most ${most}`);
    }
  }

  private count(address: string, change: number): void {
    this.total += change;
    const own = (this.byAddress.get(address) ?? 0) + change;
    if (own > 0) this.byAddress.set(address, own);
    else this.byAddress.delete(address);
  }

  private finality({ header, hash }: StoredHeader): object {
    const certificate = this.options.chain.certificate(Number(header.number));
    return {
      number: quantityText(header.number),
      hash: bytesToHex(hash),
      epoch: quantityText(header.extra.epoch),
      view: quantityText(header.extra.view),
      certificate: certificate === undefined ? null : bytesToHex(certificate),
    };
  }

  private tell({ id, namespace, subscribers }: Group, result: string): void {
    const method = `${namespace}_subscription`;
    const frame = textFrame(
      `{"jsonrpc":"2.0","method":"${method}","params":{"subscription":"${id}","result":${result}}}`,
    );
    for (const subscriber of subscribers) subscriber.send(frame);
  }

  private ownOf(subscriber: Subscriber, address: string): Own {
    const known = this.bySubscriber.get(subscriber);
    if (known !== undefined) return known;
    const own: Own = { address, groups: new Set() };
    this.bySubscriber.set(subscriber, own);
    subscriber.onGone(() => {
      this.bySubscriber.delete(subscriber);
      for (const group of own.groups) this.leave(group, subscriber, address);
    });
    return own;
  }

  private group(id: Hex, namespace: Namespace, topic: Topic): Group {
    const known = this.groups.get(id);
    if (known !== undefined) return known;
    const filter = topic.kind === "logs" ? topic.filter : undefined;
    const group: Group = {
      ...{ id, namespace, topic, subscribers: new Set() },
      matcher: filter && new LogMatcher(filter),
      weight: filter === undefined ? 1 : filterWeight(filter),
    };
    this.groups.set(id, group);
    if (topic.kind === "newPendingTransactions" && this.pendingGroups++ === 0) this.options.watchPending(true);
    return group;
  }

  private leave(group: Group, subscriber: Subscriber, address: string): void {
    if (!group.subscribers.delete(subscriber)) return;
    this.count(address, -group.weight);
    if (group.subscribers.size > 0) return;
    this.groups.delete(group.id);
    if (group.topic.kind === "newPendingTransactions" && --this.pendingGroups === 0) this.options.watchPending(false);
  }
}

interface FoundLog {
  readonly log: Log;
  /** Made once, for all who want it. */
  json(): string;
}

/** Which group is told of which log, one at a time; `undefined` after each group, which may have looked at many in vain. */
function* matchesOf(groups: readonly Group[], logs: readonly FoundLog[]): LogWork {
  for (const group of groups) {
    for (const log of logs) if (group.matcher?.matches(log.log) === true) yield { group, log };
    yield undefined;
  }
}

function logsOf(chain: ChainReads, block: StoredHeader): readonly FoundLog[] {
  const number = Number(block.header.number);
  const body = chain.body(number);
  const found: FoundLog[] = [];
  for (const [index, { logs }] of (chain.receipts(number) ?? []).entries()) {
    let hash: Hex | undefined;
    for (const log of logs) {
      const logIndex = found.length;
      let text: string | undefined;
      const json = (): string => {
        hash ??= receiptHash(body?.transactions[index], block);
        text ??= logText(log, hash, { block, index }, logIndex);
        return text;
      };
      found.push({ log, json });
    }
  }
  return found;
}

function tooMany(message: string): RpcError {
  return new RpcError(REFUSED, `too many subscriptions: ${message}`, { code: "RPC_TOO_MANY_SUBSCRIPTIONS" });
}

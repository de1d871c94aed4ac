/** Real nodes over 127.0.0.1, and what their handlers saw. */

import { bls } from "../../../../base/bls.ts";
import { bytesToHex, type Hex, utf8 } from "../../../../base/bytes.ts";
import type { CodedError } from "../../../../base/errors.ts";
import { keccak256 } from "../../../../base/keccak.ts";
import type { Progress } from "../../../../base/progress.ts";
import { blsSigner } from "../../../../chain/consensus/bls-crypto.ts";
import type { Signer } from "../../../../chain/consensus/crypto.ts";
import type { Block, FinalSegment } from "../../../../chain/consensus/types.ts";
import type { GossipVerdict } from "../../../../chain/network/gossip.ts";
import type { Timing } from "../../../../chain/network/limits.ts";
import type { NetworkLog } from "../../../../chain/network/log.ts";
import { Network } from "../../../../chain/network/network.ts";
import type { NetworkHandlers, NetworkOptions, PeerStatus } from "../../../../chain/network/options.ts";
import type { ClaimedTransaction } from "../../../../chain/senders/claim.ts";
import type { NodeMessage } from "../../../../chain/wire/node-message.ts";

export const GENESIS: Hex = `0x${"11".repeat(32)}`;

/** Any bytes are a block here: the forms of real ones are tested with chain/blocks. */
export function anyBlock(body: Uint8Array): Block {
  return {
    hash: bytesToHex(keccak256(body)),
    parent: GENESIS,
    height: body.length,
    epoch: 0,
    view: 1,
    proposer: 0,
    time: 0,
    empty: true,
    reveal: new Uint8Array(96),
    beacon: GENESIS,
    parentCertificate: undefined,
    body,
  };
}

/** Waits as long as it takes: the test's own timeout ends what never comes. */
export class Recorder<T> {
  readonly items: T[] = [];
  #waiting: { readonly test: (items: readonly T[]) => boolean; readonly resolve: () => void }[] = [];

  push(item: T): void {
    this.items.push(item);
    this.#waiting = this.#waiting.filter(({ test, resolve }) => {
      if (!test(this.items)) return true;
      resolve();
      return false;
    });
  }

  async until(test: (items: readonly T[]) => boolean): Promise<void> {
    if (test(this.items)) return;
    await new Promise<void>((resolve) => this.#waiting.push({ test, resolve }));
  }
}

export interface LogLine {
  readonly level: keyof NetworkLog;
  readonly data: object;
  readonly message: string;
}

export interface TestNode {
  readonly network: Network;
  readonly messages: Recorder<{ readonly from: string; readonly message: NodeMessage }>;
  readonly transactions: Recorder<{ readonly from: string; readonly batch: readonly ClaimedTransaction[] }>;
  readonly finals: Recorder<{ readonly from: string; readonly segment: FinalSegment }>;
  readonly peers: Recorder<{ readonly peer: PeerStatus; readonly isConnected: boolean }>;
  readonly refused: Recorder<{ readonly peer: string; readonly reason: CodedError }>;
  readonly log: Recorder<LogLine>;
  readonly address: string;
  height: number;
  verdict: GossipVerdict;
  /** After it was recorded. */
  receive: (from: string, message: NodeMessage) => void;
  gone: (peer: string) => void;
  judgeProgress: (from: string, batch: readonly Progress[]) => GossipVerdict;
  /** Whose keys are in the set: everybody's, at first. */
  isValidator: (key: Hex) => boolean;
  /** Thrown by onMessage when set. */
  failure: Error | undefined;
}

/** Fast, so that nothing in a test takes long. */
export const QUICK: Partial<Timing> = {
  firstRedial: 50,
  longestRedial: 200,
  upkeepInterval: 100,
  exchangeInterval: 100,
};

const nodes = new Set<Network>();

export function keyOf(name: string): Uint8Array {
  return keccak256(utf8(name));
}

/** The key of the validator of that name. */
export function signerOf(name: string): Signer {
  return blsSigner(bls, bls.privateKeyFromSeed(keyOf(name)));
}

export async function startNode(name: string, options: Partial<NetworkOptions> = {}): Promise<TestNode> {
  const log = new Recorder<LogLine>();
  const record = (level: keyof NetworkLog) => (data: object, message: string) => log.push({ level, data, message });
  const node: Omit<TestNode, "network" | "address"> = {
    messages: new Recorder(),
    transactions: new Recorder(),
    finals: new Recorder(),

    peers: new Recorder(),
    refused: new Recorder(),
    log,
    height: 0,
    verdict: "accept",
    judgeProgress: () => "ignore",
    receive: () => undefined,
    gone: () => undefined,
    isValidator: () => true,
    failure: undefined,
  };
  const handlers: NetworkHandlers = {
    onMessage(from, message) {
      node.messages.push({ from, message });
      if (node.failure !== undefined) throw node.failure;
      node.receive(from, message);
    },
    onTransactions(from, batch) {
      node.transactions.push({ from, batch });
      return Promise.resolve(node.verdict);
    },
    onFinalBlock(from, segment) {
      node.finals.push({ from, segment });
      return Promise.resolve(node.verdict);
    },
    onProgress(from, batch) {
      return Promise.resolve(node.judgeProgress(from, batch));
    },
    onPeer: (peer, isConnected) => {
      if (!isConnected) node.gone(peer.peer);
      node.peers.push({ peer, isConnected });
    },
    onRefused: (peer, reason) => node.refused.push({ peer, reason }),
    isValidator: (key) => node.isValidator(key),
    status: () => ({ height: node.height }),
  };
  const network = await Network.create(
    {
      nodeKey: keyOf(name),
      chainId: 7n,
      genesis: GENESIS,
      validator: signerOf(name),
      listen: ["/ip4/127.0.0.1/tcp/0"],
      log: { debug: record("debug"), info: record("info"), warn: record("warn"), error: record("error") },
      timing: QUICK,
      blockOf: anyBlock,
      ...options,
    },
    handlers,
  );
  await network.start();
  nodes.add(network);
  return Object.assign(node, { network, address: network.addresses()[0] ?? "" });
}

export async function stopNodes(): Promise<void> {
  await Promise.all([...nodes].map((network) => network.stop()));
  nodes.clear();
}

/** Until each sees the other. */
export async function connected(a: TestNode, b: TestNode): Promise<void> {
  const sees = (node: TestNode, other: TestNode) =>
    node.peers.until(() => node.network.peers().some(({ peer }) => peer === other.network.peerId));
  await Promise.all([sees(a, b), sees(b, a)]);
}

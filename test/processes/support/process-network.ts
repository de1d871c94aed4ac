/**
 * Validators in processes of their own, on this machine. Each reaches each other through a link that can be cut. They
 * announce addresses that lead nowhere, so that nobody finds a way around the links.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateKeyPairFromSeed } from "@libp2p/crypto/keys";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { bls } from "../../../base/bls.ts";
import { assert } from "../../../base/errors.ts";
import { Prng } from "../../../base/prng.ts";
import { choosePort } from "../../../cli/devnet/ports.ts";
import type { ChainSpec } from "../../../genesis/chain-spec.ts";
import { devnetSpec } from "../../../genesis/development-validators.ts";
import { chainSpecJson } from "../../../genesis/write-chain-spec.ts";
import { Link, type LinkState } from "./link.ts";
import { type End, type LogLine, NodeProcess, type Started } from "./node-process.ts";
import { until, within } from "./until.ts";

/** Short epochs: seals, which also leave snapshots, come every few seconds. */
const EPOCH_BLOCKS = 25;
/** Of a range that nobody has (RFC 1112, section 4): others take it for no address at all. */
const NOWHERE = "/ip4/240.0.0.1/tcp/1";

interface Place {
  readonly folder: string;
  readonly port: number;
  /** The id that the others expect at first; after the folder was lost the node has another one. */
  readonly nodeKey: Uint8Array;
  readonly peerId: string;
  process: NodeProcess | undefined;
  hasSigned: boolean;
}

export class ProcessNetwork {
  readonly directory: string;
  readonly spec: ChainSpec;
  readonly #places: readonly Place[];
  /** By who dials and who is dialled. */
  readonly #links: readonly (readonly Link[])[];
  readonly #processes: NodeProcess[] = [];

  private constructor(
    directory: string,
    spec: ChainSpec,
    places: readonly Place[],
    links: readonly (readonly Link[])[],
  ) {
    this.directory = directory;
    this.spec = spec;
    this.#places = places;
    this.#links = links;
  }

  /** Nobody runs yet. `change` is made to the spec of a devnet with short epochs. */
  static async create(
    directory: string,
    count: number,
    change: (spec: ChainSpec) => ChainSpec = (spec) => spec,
  ): Promise<ProcessNetwork> {
    const base = devnetSpec(count, bls);
    const spec = change({
      ...base,
      name: "processes",
      // Long enough ago that the heartbeat's block comes at once, and not so long that nobody would trust it any more.
      genesisTime: BigInt(Math.floor((Date.now() - 2 * base.consensus.heartbeatMilliseconds) / 1000)),
      consensus: { ...base.consensus, epochBlocks: EPOCH_BLOCKS },
    });
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, "spec.json"), JSON.stringify(chainSpecJson(spec)));
    const taken = new Set<number>();
    const places: Place[] = [];
    for (let index = 0; index < count; index++) places.push(await makePlace(directory, index, taken));
    const links = await Promise.all(places.map(() => Promise.all(places.map(({ port }) => Link.open(port)))));
    return new ProcessNetwork(directory, spec, places, links);
  }

  get indices(): readonly number[] {
    return [...this.#places.keys()];
  }

  folder(index: number): string {
    return this.#place(index).folder;
  }

  p2pPort(index: number): number {
    return this.#place(index).port;
  }

  logPath(index: number): string {
    return join(this.directory, `validator-${index}.log`);
  }

  /** Where others reach it without a link. */
  addressOf(index: number): string {
    const { port, peerId } = this.#place(index);
    return `/ip4/127.0.0.1/tcp/${port}/p2p/${peerId}`;
  }

  /** Where its RPC is; `undefined` while it does not run. */
  url(index: number): string | undefined {
    return this.#place(index).process?.facts?.rpc;
  }

  /** The same of a node that runs. */
  urlOf(index: number): string {
    const url = this.url(index);
    assert(url !== undefined, "a node is asked while it runs");
    return url;
  }

  process(index: number): NodeProcess {
    const { process } = this.#place(index);
    assert(process !== undefined, "a node is asked for its process while it has one");
    return process;
  }

  /** Warnings and errors of every process there has been, except what they say while they have nobody to talk to. */
  problems(): readonly LogLine[] {
    return this.#processes.flatMap(({ problems }) => problems);
  }

  /** Resolves when it answers RPC, whether or not it has caught up. */
  async start(index: number, ...options: readonly string[]): Promise<Started> {
    const place = this.#place(index);
    assert(place.process === undefined, "a node is started once at a time");
    const process = new NodeProcess(this.args(index, ...options), this.logPath(index));
    this.#processes.push(process);
    place.process = process;
    place.hasSigned = true;
    void process.ended.then(() => {
      if (place.process === process) place.process = undefined;
    });
    return await within(`validator ${index} starts`, process.started);
  }

  async startAll(indices: readonly number[] = this.indices): Promise<void> {
    await Promise.all(indices.map((index) => this.start(index)));
  }

  /** How `start` calls the program. */
  args(index: number, ...options: readonly string[]): readonly string[] {
    const { folder, port, hasSigned } = this.#place(index);
    const peers = this.indices.filter((other) => other !== index).map((other) => this.#addressFor(index, other));
    return [
      ...["validator", "--spec", join(this.directory, "spec.json"), "--dev-key", String(index), "--data-dir", folder],
      ...["--rpc-port", "0", "--cache", "16", "--listen", `/ip4/127.0.0.1/tcp/${port}`, "--announce", NOWHERE],
      ...peers.flatMap((address) => ["--persistent-peer", address]),
      ...(hasSigned ? [] : ["--new-key"]),
      ...options,
    ];
  }

  /** Resolves when it is gone. */
  async end(index: number, signal: "SIGTERM" | "SIGKILL"): Promise<End> {
    return await this.process(index).end(signal);
  }

  /** Loses its disk. */
  async wipe(index: number): Promise<void> {
    const { folder, process } = this.#place(index);
    assert(process === undefined, "a folder is deleted when nobody uses it");
    await rm(folder, { recursive: true });
  }

  /** Between nodes of different groups; those of one group keep their connections. */
  cut(groups: readonly (readonly number[])[], state: Exclude<LinkState, "open">): void {
    const groupOf = (index: number): number => groups.findIndex((group) => group.includes(index));
    for (const from of this.indices) {
      for (const to of this.indices) {
        if (groupOf(from) !== groupOf(to)) this.#links[from]?.[to]?.set(state);
      }
    }
  }

  heal(): void {
    for (const link of this.#links.flat()) link.set("open");
  }

  /** All of them are connected with all others. */
  async meshed(indices: readonly number[] = this.indices): Promise<void> {
    await until("all nodes are connected", async () => {
      const ready = await Promise.all(indices.map((index) => this.#peers(index)));
      return ready.every((peers) => peers >= indices.length - 1) || undefined;
    });
  }

  /** Ends every process, whatever it does, and closes the links. */
  async close(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.end("SIGKILL")));
    await Promise.all(this.#links.flat().map((link) => link.close()));
  }

  async #peers(index: number): Promise<number> {
    const response = await fetch(`${this.urlOf(index)}/ready`);
    return ((await response.json()) as { readonly peers: number }).peers;
  }

  #addressFor(from: number, to: number): string {
    const port = this.#links[from]?.[to]?.port;
    return `/ip4/127.0.0.1/tcp/${port}/p2p/${this.#place(to).peerId}`;
  }

  #place(index: number): Place {
    const place = this.#places[index];
    assert(place !== undefined, "there is such a validator");
    return place;
  }
}

async function makePlace(directory: string, index: number, taken: Set<number>): Promise<Place> {
  const nodeKey = new Prng(`node ${index}`).bytes(32);
  const peerId = peerIdFromPrivateKey(await generateKeyPairFromSeed("Ed25519", nodeKey)).toString();
  const folder = join(directory, `validator-${index}`);
  await mkdir(folder);
  await writeFile(join(folder, "node.key"), Buffer.from(nodeKey).toString("hex"), { mode: 0o600 });
  const port = await choosePort("127.0.0.1", undefined, taken);
  return { folder, port, nodeKey, peerId, process: undefined, hasSigned: false };
}

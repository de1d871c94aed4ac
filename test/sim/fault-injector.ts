/**
 * Breaks things while the fault phase lasts: partitions, crashes of one, of all and between two writes, lost disks, clocks
 * that are set.
 */
import type { Prng } from "../../base/prng.ts";
import { between, chance, exponential, pick } from "./chance.ts";
import type { EventQueue } from "./event-queue.ts";
import type { Network } from "./network.ts";
import { drawSkew, type FaultName, type Scenario } from "./scenario.ts";
import type { SimNode } from "./sim-node.ts";

const PARTITION_EVERY = 4_000;
const CRASH_EVERY = 2_500;
const CRASH_ALL_EVERY = 6_000;
const SET_CLOCK_EVERY = 2_000;
const WIPE_FROM = 2_000;
const WIPE_TO = 10_000;
const BOUNDARY_CRASH = 0.002;

export class FaultInjector {
  #active = true;
  readonly #queue: EventQueue;
  readonly #network: Network;
  readonly #nodes: readonly SimNode[];
  readonly #prng: Prng;
  readonly #faults: ReadonlySet<FaultName>;
  readonly #wiped: number | undefined;
  readonly #chainless: number | undefined;
  readonly #crashAtWrite: Scenario["crashAtWrite"];
  /** Write boundaries that each node has met so far. */
  readonly #boundaries: number[];
  #crashes = 0;
  readonly #trace: (line: string) => void;

  constructor(
    world: { queue: EventQueue; network: Network; nodes: readonly SimNode[]; trace: (line: string) => void },
    prng: Prng,
    scenario: Pick<Scenario, "faults" | "crashAtWrite" | "wiped" | "chainless">,
  ) {
    this.#queue = world.queue;
    this.#network = world.network;
    this.#nodes = world.nodes;
    this.#boundaries = world.nodes.map(() => 0);
    this.#trace = world.trace;
    this.#prng = prng;
    this.#faults = scenario.faults;
    this.#wiped = scenario.wiped;
    this.#chainless = scenario.chainless;
    this.#crashAtWrite = scenario.crashAtWrite;
  }

  get boundaries(): readonly number[] {
    return [...this.#boundaries];
  }

  get crashes(): number {
    return this.#crashes;
  }

  start(): void {
    if (this.#faults.has("partition")) this.#repeat(PARTITION_EVERY, () => this.#partition());
    if (this.#faults.has("crash")) this.#repeat(CRASH_EVERY, () => this.#crash(pick(this.#prng, this.#nodes)));
    this.#lose(this.#wiped, "wipe", (node) => node.wipe());
    this.#lose(this.#chainless, "lose-chain", (node) => node.loseChain());
    if (this.#faults.has("skew")) this.#repeat(SET_CLOCK_EVERY, () => this.#setClock(pick(this.#prng, this.#nodes)));
    if (this.#faults.has("crash-all")) {
      this.#repeat(CRASH_ALL_EVERY, () => {
        for (const node of this.#nodes) this.#crash(node);
      });
    }
  }

  /** All faults end, and all nodes are up. */
  heal(): void {
    this.#active = false;
    this.#network.heal();
    for (const node of this.#nodes) node.start();
  }

  onWriteBoundary(node: SimNode): void {
    const boundary = this.#boundaries[node.index] ?? 0;
    this.#boundaries[node.index] = boundary + 1;
    if (node.index === this.#crashAtWrite?.node && boundary === this.#crashAtWrite.boundary) {
      for (const victim of this.#crashAtWrite.all ? this.#nodes : [node]) this.#crash(victim);
      return;
    }
    if (this.#active && this.#faults.has("crash") && chance(this.#prng, BOUNDARY_CRASH)) this.#crash(node);
  }

  #repeat(mean: number, run: () => void): void {
    this.#queue.after(exponential(this.#prng, mean), () => {
      if (!this.#active) return;
      run();
      this.#repeat(mean, run);
    });
  }

  #lose(index: number | undefined, what: string, run: (node: SimNode) => void): void {
    const node = index === undefined ? undefined : this.#nodes[index];
    if (node === undefined) return;
    this.#queue.after(between(this.#prng, WIPE_FROM, WIPE_TO), () => {
      this.#trace(`${what} ${node.index}`);
      run(node);
      this.#queue.after(between(this.#prng, 50, 2_000), () => node.start());
    });
  }

  #setClock(node: SimNode): void {
    node.skew = drawSkew(this.#prng);
    this.#trace(`clock ${node.index} ${node.skew}`);
  }

  #crash(node: SimNode): void {
    if (!node.isUp) return;
    this.#crashes++;
    this.#trace(`crash ${node.index}`);
    node.crash();
    this.#queue.after(between(this.#prng, 50, 2_000), () => node.start());
  }

  /** Two groups, cut in both directions or in one; or single links in one direction. */
  #partition(): void {
    this.#network.heal();
    const prng = this.#prng;
    const isRandom = chance(prng, 0.25);
    const oneWay = chance(prng, 0.3);
    const inFirst = this.#nodes.map(() => chance(prng, 0.5));
    for (const [a, first] of inFirst.entries()) {
      for (const [b, second] of inFirst.entries()) {
        const isCut = isRandom ? chance(prng, 0.3) : first !== second && (first || !oneWay);
        if (isCut) this.#network.cut(a, b);
      }
    }
    this.#trace("partition");
    this.#queue.after(exponential(prng, 4_000), () => {
      if (this.#active) this.#network.heal();
    });
  }
}

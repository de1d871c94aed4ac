/** Clients of the counter: they send to every node. */
import type { Prng } from "../../base/prng.ts";
import { exponential } from "./chance.ts";
import { CounterNode } from "./counter-node.ts";
import type { EventQueue } from "./event-queue.ts";
import type { SimNode } from "./sim-node.ts";
import type { Workload } from "./workload.ts";

export class CounterClients implements Workload {
  total = 0;
  readonly #queue: EventQueue;
  readonly #prng: Prng;
  readonly #nodes: readonly CounterNode[];
  readonly #every: number;

  constructor(queue: EventQueue, prng: Prng, nodes: readonly CounterNode[], every: number) {
    this.#queue = queue;
    this.#prng = prng;
    this.#nodes = nodes;
    this.#every = every;
  }

  start(until: number): void {
    if (this.#queue.now > until) return;
    const id = ++this.total;
    for (const node of this.#nodes) node.addTransaction(id);
    this.#queue.after(exponential(this.#prng, this.#every), () => this.start(until));
  }

  unfinishedOn(node: SimNode): number {
    return node instanceof CounterNode ? node.waitingTransactions : 0;
  }
}

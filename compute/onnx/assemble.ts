/** From the launches that lowering collected to a program: what nobody reads is left out, and buffers are shared. */
import { assert } from "../../base/errors.ts";
import { contentAddress } from "../program/merkle.ts";
import {
  type ArgumentSpec,
  type BufferSpec,
  ENGINE_VERSION,
  type KernelSource,
  type LaunchSpec,
  type Program,
} from "../program/types.ts";
import type { Builder, Store, Value } from "./builder.ts";
import type { BuiltLaunch } from "./built-launch.ts";
import { evaluateLaunch } from "./evaluate.ts";

export interface Assembled {
  readonly program: Program;
  /** Names of the program's buffers for inputs and outputs of the model; an output without elements has none. */
  readonly inputs: ReadonlyMap<string, string>;
  readonly outputs: readonly (string | undefined)[];
  readonly constants: ReadonlyMap<string, Uint8Array>;
}

export function assemble(builder: Builder, inputs: ReadonlyMap<string, Value>, outputs: readonly Value[]): Assembled {
  return new Assembly(builder).run(inputs, outputs);
}

const CHUNK = 1024;
/** Bytes of a constant that takes the place of launches. */
const MAX_FOLDED: number = 1 << 20;

class Assembly {
  readonly #builder: Builder;
  readonly #buffers: BufferSpec[] = [];
  readonly #bufferOf = new Map<number, number>();
  readonly #kernels: KernelSource[] = [];
  readonly #constants = new Map<string, Uint8Array>();
  /** What launches over constants made. */
  readonly #made = new Map<number, Uint8Array>();
  /** Bytes -> scratch buffers that nobody needs any more. */
  readonly #free = new Map<number, number[]>();

  constructor(builder: Builder) {
    this.#builder = builder;
  }

  run(inputs: ReadonlyMap<string, Value>, outputs: readonly Value[]): Assembled {
    const inputNames = new Map<string, string>();
    for (const [name, { store }] of inputs) {
      if (this.#store(store).kind === "input")
        inputNames.set(name, this.#declare(store, "input", `in${inputNames.size}`));
    }
    const kept = this.#folded(this.#neededBy(outputs), new Set(outputs.map(({ store }) => store)));
    const outputNames = outputs.map(({ store }, i) =>
      this.#store(store).kind === "empty" ? undefined : this.#declare(store, "zero", `out${i}`),
    );
    const lastUse = new Map<number, number>();
    kept.forEach((launch, at) => {
      for (const store of storesOf(launch)) lastUse.set(store, at);
    });
    const steps = kept.map((launch, at) => {
      const step = this.#launch(launch);
      for (const store of new Set(storesOf(launch))) if (lastUse.get(store) === at) this.#release(store);
      return step;
    });
    const results = outputs.flatMap(({ store }) => this.#bufferOf.get(store) ?? []);
    const program: Program = {
      ...{ engine: ENGINE_VERSION, kernels: this.#kernels, buffers: this.#buffers, steps },
      outputs: [...new Set(results)].sort((a, b) => a - b),
    };
    return { program, inputs: inputNames, outputs: outputNames, constants: this.#constants };
  }

  #store(index: number): Store {
    return this.#builder.stores[index] as Store;
  }

  #declare(store: number, kind: BufferSpec["kind"], name: string): string {
    const bytes = Math.max(1, this.#store(store).bytes);
    this.#bufferOf.set(store, this.#buffers.push({ name, kind, bytes }) - 1);
    return name;
  }

  /** The launches that the outputs depend on, in order. */
  #neededBy(outputs: readonly Value[]): readonly BuiltLaunch[] {
    const { launches } = this.#builder;
    const needed = new Set<number>();
    const open = outputs.map(({ store }) => store);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const store = this.#store(at);
      if (store.kind !== "made" || needed.has(store.launch)) continue;
      needed.add(store.launch);
      open.push(...storesOf(launches[store.launch] as BuiltLaunch));
    }
    return launches.filter((_, index) => needed.has(index));
  }

  /**
   * Launches that read constants alone run now, by the same kernels, and what they make is a constant of the program. Not
   * the outputs, which launches must make, and nothing large, because constants have to be sent.
   */
  #folded(launches: readonly BuiltLaunch[], outputs: ReadonlySet<number>): readonly BuiltLaunch[] {
    return launches.filter((launch) => {
      const made = [...launch.tiles.keys()];
      const small = made.every((store) => this.#store(store).bytes <= MAX_FOLDED && !outputs.has(store));
      const read = storesOf(launch).filter((store) => !launch.tiles.has(store));
      if (!small || !read.every((store) => this.#constant(store) !== undefined)) return true;
      const contents = new Map(read.map((store) => [store, this.#constant(store) as Uint8Array]));
      for (const store of made) contents.set(store, new Uint8Array(this.#store(store).bytes));
      evaluateLaunch(launch, contents);
      for (const store of made) this.#made.set(store, contents.get(store) as Uint8Array);
      return false;
    });
  }

  #constant(index: number): Uint8Array | undefined {
    const store = this.#store(index);
    if (store.kind === "empty") return new Uint8Array(0);
    return store.kind === "constant" ? store.contents : this.#made.get(index);
  }

  #buffer(index: number): number {
    const found = this.#bufferOf.get(index);
    if (found !== undefined) return found;
    const store = this.#store(index);
    assert(store.kind !== "input", "inputs are declared first");
    const contents = store.kind === "empty" ? undefined : this.#constant(index);
    if (contents !== undefined) {
      const name = `c${this.#buffers.length}`;
      const address = contentAddress(contents);
      this.#constants.set(name, contents);
      this.#bufferOf.set(index, this.#buffers.push({ name, kind: "constant", bytes: store.bytes, address }) - 1);
    } else {
      const reused = this.#free.get(store.bytes)?.pop();
      if (reused === undefined) this.#declare(index, "scratch", `t${this.#buffers.length}`);
      else this.#bufferOf.set(index, reused);
    }
    return this.#bufferOf.get(index) as number;
  }

  #release(store: number): void {
    const buffer = this.#bufferOf.get(store) as number;
    if (this.#buffers[buffer]?.kind !== "scratch") return;
    const { bytes } = this.#store(store);
    const free = this.#free.get(bytes);
    if (free === undefined) this.#free.set(bytes, [buffer]);
    else free.push(buffer);
  }

  #launch({ kernel, grid, block, arguments: given, tiles, fuel, bytes }: BuiltLaunch): LaunchSpec {
    const values = given.map(
      (argument): ArgumentSpec =>
        argument instanceof Uint8Array
          ? { kind: "scalar", bytes: argument }
          : { kind: "buffer", buffer: this.#buffer(argument.store) },
    );
    const touched = [...new Set(storesOf({ arguments: given }))];
    const all = touched.reduce((sum, store) => sum + (Math.ceil(this.#store(store).bytes / CHUNK) + 1) * CHUNK, 0);
    return {
      ...{ kind: "launch", kernel: this.#kernel(kernel), dynamicShared: 0, arguments: values },
      ...{ grid, block, fuel, bytes: bytes ?? all },
      tiles: given.flatMap((argument, parameter) => {
        if (argument instanceof Uint8Array || !argument.written) return [];
        const tile = tiles.get(argument.store);
        assert(tile !== undefined, "what a launch writes has elements");
        return [{ parameter, tile }];
      }),
    };
  }

  #kernel(source: KernelSource): number {
    const found = this.#kernels.findIndex(({ ptx }) => ptx === source.ptx);
    return found >= 0 ? found : this.#kernels.push(source) - 1;
  }
}

function storesOf({ arguments: given }: Pick<BuiltLaunch, "arguments">): readonly number[] {
  return given.flatMap((argument) => (argument instanceof Uint8Array ? [] : [argument.store]));
}

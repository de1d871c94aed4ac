/**
 * Collects the launches of a program while a model is lowered. Values are tensors in stores; several values may look at one
 * store under different shapes. A value that depends on constants alone can be worked out on the way, by the very
 * kernels that the program would run, which is how shapes that are computed become known.
 */
import { assert } from "../../base/errors.ts";
import { onnxKernel } from "../kernels/onnx/onnx-kernels.ts";
import { standardKernel } from "../kernels/standard-kernels.ts";
import { parameterKinds, standardLaunch } from "../kernels/standard-launch.ts";
import type { Extent } from "../program/types.ts";
import type { BuiltLaunch } from "./built-launch.ts";
import { bytesOf, type ElementType } from "./element-types.ts";
import { evaluateLaunch } from "./evaluate.ts";
import { f32, i32 } from "./geometry.ts";
import { MAX_KNOWN_ELEMENTS } from "./limits.ts";
import { checkShape, countOf, numbersOf, type Shape, type Tensor } from "./tensor.ts";

export interface Value {
  readonly type: ElementType;
  readonly shape: Shape;
  /** Where its elements lie; all of them, in order. */
  readonly store: number;
}

export type Store =
  | { readonly kind: "input"; readonly bytes: number; readonly name: string }
  | { readonly kind: "constant"; readonly bytes: number; readonly contents: Uint8Array }
  | { readonly kind: "made"; readonly bytes: number; readonly launch: number }
  /** Of a tensor without elements. */
  | { readonly kind: "empty"; readonly bytes: 0 };

/** What a launch is given: the bytes of a number, a value to read, or the shape of a value to make. */
export type LaunchArgument = Uint8Array | Value | { readonly type: ElementType; readonly made: Shape };

export type Geometry =
  /** 256 threads make 1,024 elements. */
  | { readonly kind: "elements"; readonly count: number }
  /** 64 threads make 64 rows. */
  | { readonly kind: "rows"; readonly count: number };

const PER_BLOCK: Readonly<Record<Geometry["kind"], number>> = { elements: 1024, rows: 64 };
const THREADS: Readonly<Record<Geometry["kind"], Extent>> = { elements: [256, 1, 1], rows: [64, 1, 1] };

function isMade(argument: LaunchArgument): argument is { readonly type: ElementType; readonly made: Shape } {
  return !(argument instanceof Uint8Array) && "made" in argument;
}

export class Builder {
  readonly stores: Store[] = [];
  readonly launches: BuiltLaunch[] = [];
  /** Inputs whose values the program was made for. */
  readonly bound: Set<string> = new Set();
  readonly #offered: ReadonlyMap<string, Tensor>;
  readonly #known = new Map<number, Uint8Array | undefined>();
  readonly #constants = new Map<string, Value>();

  /** `offered`: values of inputs that may be used where a shape depends on them. */
  constructor(offered: ReadonlyMap<string, Tensor>) {
    this.#offered = offered;
  }

  input(name: string, type: ElementType, shape: Shape): Value {
    const bytes = countOf(checkShape(shape)) * bytesOf(type);
    const store: Store = bytes === 0 ? { kind: "empty", bytes: 0 } : { kind: "input", bytes, name };
    return { type, shape, store: this.stores.push(store) - 1 };
  }

  constant({ type, shape, bytes }: Tensor): Value {
    checkShape(shape);
    const key = bytes.length <= 64 ? `${type} ${shape.join()} ${bytes.join()}` : undefined;
    const found = key === undefined ? undefined : this.#constants.get(key);
    if (found !== undefined) return found;
    const store: Store =
      bytes.length === 0 ? { kind: "empty", bytes: 0 } : { kind: "constant", bytes: bytes.length, contents: bytes };
    const value = { type, shape, store: this.stores.push(store) - 1 };
    if (key !== undefined) this.#constants.set(key, value);
    return value;
  }

  /** The same elements under another shape, or as another type of the same size. */
  as(value: Value, shape: Shape, type: ElementType = value.type): Value {
    assert(countOf(shape) * bytesOf(type) === countOf(value.shape) * bytesOf(value.type), "a view has all elements");
    return { type, shape: checkShape(shape), store: value.store };
  }

  /** The values that the launch makes, in the order of its arguments. `fuel` is for one element or row. */
  launch(entry: string, geometry: Geometry, given: readonly LaunchArgument[], fuel: number): readonly Value[] {
    const each = PER_BLOCK[geometry.kind];
    const grid: Extent = [Math.ceil(geometry.count / each), 1, 1];
    return this.#add(given, (bound, made) => ({
      ...{ kernel: onnxKernel(entry), grid, block: THREADS[geometry.kind], arguments: bound },
      tiles: new Map(
        made.map(({ store, bytes }) => [store, { kind: "run", bytes: (bytes / geometry.count) * each } as const]),
      ),
      ...{ fuel: fuel * each, bytes: undefined },
    }));
  }

  /** A launch of a kernel that devices have in their own form; `undefined` when the numbers make none. */
  standard(
    name: string,
    numbers: readonly number[],
    values: readonly Value[],
    shape: Shape,
    batch = 1,
  ): Value | undefined {
    const launch = standardLaunch(name, numbers, batch);
    const kinds = parameterKinds(name);
    if (launch === undefined || kinds === undefined) return undefined;
    const [scalars, read] = [[...numbers], [...values]];
    const given = [...kinds].map((kind): LaunchArgument => {
      if (kind === "w") return { type: "f32", made: shape };
      if (kind === "b") return read.shift() as Value;
      const number = scalars.shift() as number;
      return kind === "f" ? f32(number) : i32(number);
    });
    const { grid, block, fuel, bytes, tiles } = launch;
    const [made] = this.#add(given, (bound, [out]) => ({
      ...{ kernel: standardKernel(name), grid, block, arguments: bound, fuel, bytes },
      tiles: new Map([[out?.store ?? 0, tiles[0]?.tile ?? { kind: "whole" }]]),
    }));
    return made;
  }

  #add(
    given: readonly LaunchArgument[],
    describe: (
      bound: BuiltLaunch["arguments"],
      made: readonly { readonly store: number; readonly bytes: number }[],
    ) => BuiltLaunch,
  ): readonly Value[] {
    const index = this.launches.length;
    const made: Value[] = [];
    const written: { store: number; bytes: number }[] = [];
    const bound = given.map((argument) => {
      if (argument instanceof Uint8Array) return argument;
      if (!isMade(argument)) return { store: argument.store, written: false };
      const { type, made: shape } = argument;
      const count = countOf(checkShape(shape));
      const bytes = count * bytesOf(type);
      const entry: Store = count === 0 ? { kind: "empty", bytes: 0 } : { kind: "made", bytes, launch: index };
      const store = this.stores.push(entry) - 1;
      made.push({ type, shape, store });
      if (count > 0) written.push({ store, bytes });
      return { store, written: true };
    });
    // Nothing to make: whoever reads it finds nothing either.
    if (written.length > 0) this.launches.push(describe(bound, written));
    return made;
  }

  /** Its contents, if they follow from constants and from inputs that were offered. */
  known(value: Value): Tensor | undefined {
    if (countOf(value.shape) > MAX_KNOWN_ELEMENTS) return undefined;
    const bytes = this.#contents(value.store);
    return bytes === undefined ? undefined : { type: value.type, shape: value.shape, bytes };
  }

  knownNumbers(value: Value): readonly number[] | undefined {
    const tensor = this.known(value);
    return tensor === undefined ? undefined : numbersOf(tensor);
  }

  #contents(index: number): Uint8Array | undefined {
    const store = this.stores[index] as Store;
    if (store.kind === "empty") return new Uint8Array(0);
    if (store.kind === "constant") return store.contents;
    if (store.kind === "input") {
      const offered = this.#offered.get(store.name)?.bytes;
      if (offered !== undefined) this.bound.add(store.name);
      return offered;
    }
    if (!this.#known.has(index)) this.#evaluate(store.launch);
    return this.#known.get(index);
  }

  #evaluate(index: number): void {
    const launch = this.launches[index] as BuiltLaunch;
    const contents = new Map<number, Uint8Array>();
    let complete = true;
    for (const argument of launch.arguments) {
      if (argument instanceof Uint8Array || !complete) continue;
      const { store, written } = argument;
      const { bytes } = this.stores[store] as Store;
      const found = written ? new Uint8Array(bytes) : this.#contents(store);
      if (found === undefined || bytes > 8 * MAX_KNOWN_ELEMENTS) complete = false;
      else contents.set(store, found);
    }
    if (complete) evaluateLaunch(launch, contents);
    for (const store of launch.tiles.keys()) this.#known.set(store, complete ? contents.get(store) : undefined);
  }
}

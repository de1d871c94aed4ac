/** The text of a kernel under construction: lines, names of registers and variables, and helpers in fresh registers. */
import { assert } from "../../../base/errors.ts";
import type { Instruction, Kernel, Source } from "../../ptx/ir.ts";
import { bitsOf, type ScalarType } from "../../ptx/scalar-types.ts";
import type { Guard, Variable } from "../../ptx/syntax.ts";
import { findLateNans, type LateNans, ONE_NAN } from "./late-nan.ts";

type RegisterClass = "p" | "h" | "r" | "d";
const CLASS_TYPES: Readonly<Record<RegisterClass, string>> = { p: "pred", h: "b16", r: "b32", d: "b64" };

/** Static variables of a space lie in one array, so that one loop clears them. */
const ARRAYS: Partial<Record<Variable["space"], string>> = { shared: "ogpu_shared", local: "ogpu_local" };

export function parameterName(index: number): string {
  return `ogpu_p${index}`;
}

export function classOf(type: ScalarType): RegisterClass {
  const bits = bitsOf(type);
  return bits === 1 ? "p" : bits <= 16 ? "h" : bits === 32 ? "r" : "d";
}

export class PtxWriter {
  readonly kernel: Kernel;
  readonly nans: LateNans;
  readonly lines: string[] = [];
  readonly #counts: Record<RegisterClass, number> = { p: 0, h: 0, r: 0, d: 0 };
  readonly #names = new Map<number, string>();
  /** Variable -> the symbol and the offset from it. */
  readonly #places = new Map<number, { readonly symbol: string; readonly offset: bigint }>();
  readonly #bytes: Record<"shared" | "local", number> = { shared: 0, local: 0 };

  constructor(kernel: Kernel) {
    this.kernel = kernel;
    this.nans = findLateNans(kernel);
  }

  line(text: string, guard?: Guard): void {
    const prefix = guard === undefined ? "" : `@${guard.negated ? "!" : ""}${this.register(guard.register)} `;
    this.lines.push(`\t${prefix}${text};`);
  }

  register(id: number): string {
    let name = this.#names.get(id);
    if (name === undefined) {
      name = this.fresh(classOf(this.kernel.registers[id] as ScalarType));
      this.#names.set(id, name);
    }
    return name;
  }

  fresh(kind: RegisterClass): string {
    return `%${kind}${this.#counts[kind]++}`;
  }

  /** Where a result goes; what nobody wants goes to a register that nobody reads. */
  destination(id: number, type: ScalarType): string {
    return id < 0 ? this.fresh(classOf(type)) : this.register(id);
  }

  /** A source as an operand of this type, with its NaN fixed if the instruction sees it. */
  source(instruction: Instruction, source: Source, type: ScalarType): string {
    switch (source.kind) {
      case "register": {
        const name = this.register(source.id);
        return this.nans.sees(instruction, source) ? this.#fixed(name, source.id) : name;
      }
      case "immediate":
        return type === "pred" ? this.#constantPredicate(source.bits) : immediate(source.bits, type);
      case "special":
        return this.#special(source.name);
      case "variable": {
        const target = this.fresh(classOf(type));
        this.line(`mov.u${bitsOf(type)} ${target}, ${this.symbol(source.index, source.offset)}`);
        return target;
      }
    }
  }

  /** A copy of a register without its NaN. */
  #fixed(name: string, id: number): string {
    const type: ScalarType = bitsOf(this.kernel.registers[id] as ScalarType) === 64 ? "f64" : "f32";
    const found = this.fresh("p");
    const copy = this.fresh(classOf(type));
    this.line(`setp.nan.${type} ${found}, ${name}, ${name}`);
    this.line(`selp.b${bitsOf(type)} ${copy}, ${immediate(ONE_NAN[type] ?? 0n, type)}, ${name}, ${found}`);
    return copy;
  }

  #constantPredicate(bits: bigint): string {
    const name = this.fresh("p");
    this.line(`setp.ne.u32 ${name}, ${bits === 0n ? 0 : 1}, 0`);
    return name;
  }

  /** Where a thread is in its block is defined by its number; the hardware's own warp number is not. */
  #special(name: string): string {
    const target = this.fresh("r");
    if (name === "warpid") this.line(`shr.u32 ${target}, ${this.linearThread()}, 5`);
    else if (name === "laneid") this.line(`and.b32 ${target}, ${this.linearThread()}, 31`);
    else this.line(`mov.u32 ${target}, %${name}`);
    return target;
  }

  /** The thread's number, x first, then y, then z. */
  linearThread(): string {
    const [x, y, z, nx, ny] = ["tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y"].map((name) => {
      const register = this.fresh("r");
      this.line(`mov.u32 ${register}, %${name}`);
      return register;
    });
    const row = this.fresh("r");
    const number = this.fresh("r");
    this.line(`mad.lo.u32 ${row}, ${z}, ${ny}, ${y}`);
    this.line(`mad.lo.u32 ${number}, ${row}, ${nx}, ${x}`);
    return number;
  }

  symbol(index: number, offset: bigint): string {
    const place = this.#place(index);
    const at = place.offset + offset;
    return at === 0n ? place.symbol : `${place.symbol}+${at}`;
  }

  #place(index: number): { readonly symbol: string; readonly offset: bigint } {
    let place = this.#places.get(index);
    if (place === undefined) {
      const { space, size, dynamic } = this.kernel.variables[index] as Variable;
      const array = dynamic ? undefined : ARRAYS[space];
      if (array !== undefined && (space === "shared" || space === "local")) {
        place = { symbol: array, offset: BigInt(this.#bytes[space]) };
        this.#bytes[space] += Math.ceil(size / 16) * 16;
      } else place = { symbol: `ogpu_v${index}`, offset: 0n };
      this.#places.set(index, place);
    }
    return place;
  }

  arrayBytes(space: "shared" | "local"): number {
    return this.#bytes[space];
  }

  /** Variables that are declared on their own: constants, and shared memory whose size the launch gives. */
  usedVariables(): readonly { readonly variable: Variable; readonly symbol: string }[] {
    return [...this.#places].flatMap(([index, { symbol }]) => {
      const variable = this.kernel.variables[index];
      assert(variable !== undefined, "a variable has a declaration");
      return symbol.startsWith("ogpu_v") ? [{ variable, symbol }] : [];
    });
  }

  declarations(): readonly string[] {
    return (Object.keys(CLASS_TYPES) as RegisterClass[])
      .filter((kind) => this.#counts[kind] > 0)
      .map((kind) => `\t.reg .${CLASS_TYPES[kind]} %${kind}<${this.#counts[kind]}>;`);
  }
}

/** Floats are written as bits, which every instruction takes. */
export function immediate(bits: bigint, type: ScalarType): string {
  const width = Math.max(bitsOf(type), 16);
  if (type === "f32") return `0f${hex(bits, 32)}`;
  if (type === "f64") return `0d${hex(bits, 64)}`;
  const signed = type.startsWith("s") ? BigInt.asIntN(width, bits) : BigInt.asUintN(width, bits);
  return signed.toString();
}

function hex(bits: bigint, width: number): string {
  return BigInt.asUintN(width, bits)
    .toString(16)
    .padStart(width / 4, "0");
}

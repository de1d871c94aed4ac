/** Writes the code of one region: registers as locals, sources, results and traps. */
import type { CheckedKernel } from "../check.ts";
import type { Instruction, Source, SpecialRegister } from "../ir.ts";
import { bitsOf, isSigned, isWide, type ScalarType } from "../scalar-types.ts";
import type { Code, ValueType } from "./assembler.ts";
import type { HelperName } from "./helpers.ts";
import * as at from "./layout.ts";
import type { PlainOp } from "./opcodes.ts";

export type Width = "i32" | "i64";

const LAUNCH_REGISTERS: Partial<Record<SpecialRegister, number>> = {
  "ntid.x": at.NTID,
  "ntid.y": at.NTID + 4,
  "ntid.z": at.NTID + 8,
  "ctaid.x": at.CTAID,
  "ctaid.y": at.CTAID + 4,
  "ctaid.z": at.CTAID + 8,
  "nctaid.x": at.NCTAID,
  "nctaid.y": at.NCTAID + 4,
  "nctaid.z": at.NCTAID + 8,
};

const FRAME_REGISTERS: Partial<Record<SpecialRegister, number>> = {
  "tid.x": at.FRAME_TID_X,
  "tid.y": at.FRAME_TID_Y,
  "tid.z": at.FRAME_TID_Z,
};

export class Emitter {
  readonly code: Code;
  readonly checked: CheckedKernel;
  readonly layout: at.KernelLayout;
  readonly frame: number;
  /** Whether each access to a buffer is noted in the map of chunks. */
  readonly trackChunks: boolean;
  /** Whether each access to memory that threads share is noted in the shadow. */
  readonly findRaces: boolean;
  /** Whether buffers are reached through a table of their chunks. */
  readonly paged: boolean;
  readonly #helpers: ReadonlyMap<HelperName, number>;
  readonly #registers = new Map<number, number>();
  readonly #temporaries = new Map<string, number>();
  /** Locals that hold what does not change during a call; filled before the loop over threads. */
  readonly #hoisted = new Map<string, { readonly local: number; readonly fill: (code: Code) => void }>();

  constructor(
    code: Code,
    checked: CheckedKernel,
    layout: at.KernelLayout,
    helpers: ReadonlyMap<HelperName, number>,
    frame: number,
    options: { readonly trackChunks: boolean; readonly findRaces: boolean; readonly paged: boolean },
  ) {
    this.code = code;
    this.checked = checked;
    this.layout = layout;
    this.#helpers = helpers;
    this.frame = frame;
    this.trackChunks = options.trackChunks;
    this.findRaces = options.findRaces;
    this.paged = options.paged;
  }

  typeOf(register: number): ScalarType {
    return this.checked.kernel.registers[register] as ScalarType;
  }

  /**
   * What kind of local holds a register. Floats declared as such live as floats: going through integer registers on every
   * operation made a chain of additions three times slower (measured).
   */
  home(register: number): ValueType {
    const type = this.typeOf(register);
    if (type === "f32" || type === "f64") return type;
    return isWide(type) ? "i64" : "i32";
  }

  local(register: number): number {
    const found = this.#registers.get(register);
    if (found !== undefined) return found;
    const local = this.code.local(this.home(register));
    this.#registers.set(register, local);
    return local;
  }

  /** A scratch local; the same name gives the same one. */
  temporary(type: ValueType, name: string): number {
    const key = `${type} ${name}`;
    const found = this.#temporaries.get(key) ?? this.code.local(type);
    this.#temporaries.set(key, found);
    return found;
  }

  hoist(key: string, type: ValueType, fill: (code: Code) => void): number {
    const found = this.#hoisted.get(key);
    if (found !== undefined) return found.local;
    const local = this.code.local(type);
    this.#hoisted.set(key, { local, fill });
    return local;
  }

  /** What `hoist` collected, for the start of the function. */
  get hoisted(): readonly { readonly local: number; readonly fill: (code: Code) => void }[] {
    return [...this.#hoisted.values()];
  }

  call(helper: HelperName): void {
    this.code.call(this.#helpers.get(helper) as number);
  }

  op(width: Width, ...names: readonly string[]): void {
    for (const name of names) this.code.op(`${width}.${name}` as PlainOp);
  }

  constant(width: Width, value: bigint): void {
    if (width === "i64") this.code.i64(value);
    else this.code.i32(Number(BigInt.asIntN(32, value)));
  }

  /** Pushes a source as a value of `type`: i64 when that is wide, else i32. Bits above a narrow type are not defined. */
  push(source: Source, type: ScalarType): void {
    const { code } = this;
    const wide = isWide(type);
    switch (source.kind) {
      case "register":
        code.get(this.local(source.id));
        if (this.home(source.id) === "f32") code.op("i32.reinterpret_f32");
        if (this.home(source.id) === "f64") code.op("i64.reinterpret_f64");
        if (isWide(this.typeOf(source.id)) && !wide) code.op("i32.wrap_i64");
        return;
      case "immediate":
        this.constant(wide ? "i64" : "i32", source.bits);
        return;
      case "variable":
        this.constant(wide ? "i64" : "i32", source.offset);
        return;
      default:
        this.#special(source.name);
        if (wide) code.op("i64.extend_i32_u");
    }
  }

  /** As `push`, with a narrow value extended to 32 bits by its sign. */
  pushExtended(source: Source, type: ScalarType): void {
    this.push(source, type);
    this.extend(type);
  }

  extend(type: ScalarType): void {
    const bits = bitsOf(type);
    if (type === "pred" || bits >= 32) return;
    if (isSigned(type)) this.code.op(bits === 8 ? "i32.extend8_s" : "i32.extend16_s");
    else this.code.i32(bits === 8 ? 0xff : 0xffff).op("i32.and");
  }

  #special(name: SpecialRegister): void {
    const { code } = this;
    const launch = LAUNCH_REGISTERS[name];
    if (launch !== undefined) {
      code.i32(0).memory("i32.load", launch);
      return;
    }
    const own = FRAME_REGISTERS[name];
    code.get(this.frame).memory("i32.load", own ?? at.FRAME_THREAD);
    if (own !== undefined) return;
    if (name === "warpid") code.i32(5).op("i32.shr_u");
    else code.i32(31).op("i32.and");
    if (name.startsWith("lanemask")) this.#laneMask(name);
  }

  /** From the lane on the stack to the mask of the lanes before it, up to it, itself, and so on. */
  #laneMask(name: SpecialRegister): void {
    const { code } = this;
    const lane = this.temporary("i32", "lane");
    code.set(lane);
    if (name === "lanemask_eq") code.i32(1).get(lane).op("i32.shl");
    else if (name === "lanemask_lt") code.i32(1).get(lane).op("i32.shl").i32(1).op("i32.sub");
    else if (name === "lanemask_le") code.i32(2).get(lane).op("i32.shl").i32(1).op("i32.sub");
    else if (name === "lanemask_gt") code.i32(-2).get(lane).op("i32.shl");
    else code.i32(-1).get(lane).op("i32.shl");
  }

  /** Takes a value of `type` from the stack into a register, extended when the register is wider. */
  store(register: number, type: ScalarType): void {
    const { code } = this;
    if (register < 0) return void code.set(this.temporary(isWide(type) ? "i64" : "i32", "unused"));
    const held = this.typeOf(register);
    if (type !== "pred" && bitsOf(type) < 32 && !isWide(held)) {
      this.extend(type);
      if (isSigned(type) && bitsOf(held) === 16) code.i32(0xffff).op("i32.and");
    } else if (isWide(held) && !isWide(type)) {
      this.extend(type);
      code.op(isSigned(type) ? "i64.extend_i32_s" : "i64.extend_i32_u");
    }
    if (this.home(register) === "f32") code.op("f32.reinterpret_i32");
    if (this.home(register) === "f64") code.op("f64.reinterpret_i64");
    code.set(this.local(register));
  }

  /** Pushes a source as a float. */
  pushFloat(source: Source, type: ScalarType): void {
    if (source.kind === "register" && this.home(source.id) === type) {
      this.code.get(this.local(source.id));
      return;
    }
    this.push(source, type);
    this.code.op(type === "f64" ? "f64.reinterpret_i64" : "f32.reinterpret_i32");
  }

  /** Takes a float from the stack into a register. */
  storeFloat(register: number, type: ScalarType): void {
    if (register >= 0 && this.home(register) === type) {
      this.code.set(this.local(register));
      return;
    }
    this.code.op(type === "f64" ? "i64.reinterpret_f64" : "i32.reinterpret_f32");
    this.store(register, type);
  }

  /** Traps if the i32 on the stack is not zero. */
  trapIf(kind: at.TrapNumber, instruction: Instruction | undefined): void {
    this.code.if();
    this.trap(kind, instruction);
    this.code.op("end");
  }

  trap(kind: at.TrapNumber, instruction: Instruction | undefined): void {
    this.trapAt(kind, instruction?.line ?? 0);
  }

  trapAt(kind: at.TrapNumber, line: number): void {
    this.code.i32(kind).i32(line);
    this.call("trap");
    this.code.op("unreachable");
  }
}

export function widthOf(type: ScalarType): Width {
  return isWide(type) ? "i64" : "i32";
}

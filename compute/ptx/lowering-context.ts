/** What the lowering of one statement needs: its modifiers, its operands with their types checked, and a place to emit to. */
import { fail, type Place, type PtxErrorCode } from "./errors.ts";
import {
  type Instruction,
  type MemoryAccess,
  type Op,
  type Source,
  SPECIAL_REGISTERS,
  type SpecialRegister,
} from "./ir.ts";
import { bitsOf, isFloat, isScalarType, type ScalarType } from "./scalar-types.ts";
import type { Operand, Parameter, Statement, Variable } from "./syntax.ts";
import { immediateBits } from "./variable-parser.ts";

/** The names and registers of the kernel at hand. */
export interface KernelScope {
  readonly registers: ScalarType[];
  readonly registerNames: string[];
  readonly variables: readonly Variable[];
  readonly variableIndex: ReadonlyMap<string, number>;
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly labels: ReadonlyMap<string, number>;
  /** The predicate that stands for the carry flag, once something uses it. */
  carryFlag: number | undefined;
}

export interface EmitOptions {
  readonly from?: ScalarType;
  readonly mode?: string;
  readonly memory?: MemoryAccess;
}

/** How wide a register may be beside its type: exactly so, or at least so (loads, stores, conversions). */
export type Fit = "exact" | "wider";

const SPECIALS: ReadonlySet<string> = new Set(SPECIAL_REGISTERS);

export class LoweringContext {
  readonly statement: Statement;
  readonly scope: KernelScope;
  readonly emitted: Instruction[] = [];
  #modifiers: string[];

  constructor(statement: Statement, scope: KernelScope) {
    this.statement = statement;
    this.scope = scope;
    this.#modifiers = [...statement.modifiers];
  }

  get place(): Place {
    return { line: this.statement.line, column: this.statement.column };
  }

  get name(): string {
    return [this.statement.opcode, ...this.statement.modifiers].join(".");
  }

  fail(code: PtxErrorCode, message: string): never {
    return fail(code, `${this.name}: ${message}`, this.place);
  }

  /** Removes the modifier if it is there. */
  flag(name: string): boolean {
    const at = this.#modifiers.indexOf(name);
    if (at < 0) return false;
    this.#modifiers.splice(at, 1);
    return true;
  }

  /** Removes and returns the first modifier that is one of `names`. */
  oneOf(...names: readonly string[]): string | undefined {
    const found = this.#modifiers.find((modifier) => names.includes(modifier));
    if (found !== undefined) this.flag(found);
    return found;
  }

  /** Removes and returns the last type among the modifiers. */
  type(...allowed: readonly ScalarType[]): ScalarType {
    for (let i = this.#modifiers.length - 1; i >= 0; i--) {
      const name = this.#modifiers[i] as string;
      if (!isScalarType(name)) continue;
      if (allowed.length > 0 && !allowed.includes(name)) this.fail("PTX_UNSUPPORTED", `type ${name} is not supported`);
      this.#modifiers.splice(i, 1);
      return name;
    }
    return this.fail("PTX_UNSUPPORTED", "its type is not supported");
  }

  /** Every modifier must have been understood. */
  done(operands: number): void {
    if (this.#modifiers.length > 0) this.fail("PTX_UNSUPPORTED", `.${this.#modifiers[0]} is not supported`);
    if (this.statement.operands.length !== operands) {
      this.fail("PTX_SYNTAX", `takes ${operands} operands, found ${this.statement.operands.length}`);
    }
  }

  operand(index: number): Operand {
    const found = this.statement.operands[index];
    return found ?? this.fail("PTX_SYNTAX", `operand ${index + 1} is missing`);
  }

  destination(index: number, type: ScalarType, fit: Fit = "exact"): number {
    return this.destinationOf(this.operand(index), type, fit);
  }

  destinationOf(operand: Operand, type: ScalarType, fit: Fit = "exact"): number {
    if (operand.kind === "sink") return -1;
    if (operand.kind !== "register") return this.fail("PTX_TYPE", "its result must go to a register");
    this.#checkRegister(operand.id, type, fit);
    return operand.id;
  }

  source(index: number, type: ScalarType, fit: Fit = "exact"): Source {
    return this.sourceOf(this.operand(index), type, fit);
  }

  sourceOf(operand: Operand, type: ScalarType, fit: Fit = "exact"): Source {
    switch (operand.kind) {
      case "register":
        this.#checkRegister(operand.id, type, fit);
        return { kind: "register", id: operand.id };
      case "negated":
        return this.#inverted(operand.id);
      case "integer":
        if (type === "pred") return { kind: "immediate", bits: operand.value === 0n ? 0n : 1n };
        return { kind: "immediate", bits: immediateBits(operand, type, this.place) };
      case "float":
        return { kind: "immediate", bits: immediateBits(operand, type, this.place) };
      case "special":
        return this.#special(operand.name, type);
      case "symbol":
        return this.#variable(operand.name, operand.offset, type);
      default:
        return this.fail("PTX_TYPE", `a ${operand.kind} stands where a value is wanted`);
    }
  }

  #inverted(id: number): Source {
    this.#checkRegister(id, "pred", "exact");
    const fresh = this.freshRegister("pred");
    this.emit("not", "pred", [fresh], [{ kind: "register", id }]);
    return { kind: "register", id: fresh };
  }

  #special(name: string, type: ScalarType): Source {
    const known = name.slice(1);
    if (!SPECIALS.has(known)) {
      this.fail("PTX_REFUSED", `${name} tells about the machine, so the result cannot be verified`);
    }
    if (bitsOf(type) !== 32) this.fail("PTX_TYPE", `${name} has 32 bits`);
    return { kind: "special", name: known as SpecialRegister };
  }

  #variable(name: string, offset: bigint, type: ScalarType): Source {
    const index = this.scope.variableIndex.get(name);
    if (index === undefined) return this.fail("PTX_NAME", `${name} is not declared`);
    if (bitsOf(type) < 32) this.fail("PTX_TYPE", `the address of ${name} needs 32 or 64 bits`);
    return { kind: "variable", index, offset };
  }

  carryFlag(): number {
    if (this.scope.carryFlag === undefined) {
      this.scope.registerNames.push("the carry flag");
      this.scope.carryFlag = this.scope.registers.push("pred") - 1;
    }
    return this.scope.carryFlag;
  }

  freshRegister(type: ScalarType): number {
    this.scope.registerNames.push(`(line ${this.statement.line})`);
    return this.scope.registers.push(type) - 1;
  }

  #checkRegister(id: number, type: ScalarType, fit: Fit): void {
    const held = this.scope.registers[id] as ScalarType;
    const name = this.scope.registerNames[id];
    if ((held === "pred") !== (type === "pred")) this.fail("PTX_TYPE", `${name} is ${held}, but ${type} is wanted`);
    const enough = fit === "wider" ? bitsOf(held) >= bitsOf(type) : bitsOf(held) === bitsOf(type);
    if (!enough) this.fail("PTX_TYPE", `${name} has ${bitsOf(held)} bits, but ${type} is wanted`);
    const mixed = isFloat(held) !== isFloat(type) && !held.startsWith("b") && !type.startsWith("b");
    if (mixed && fit === "exact") this.fail("PTX_TYPE", `${name} is ${held}, but ${type} is wanted`);
  }

  emit(op: Op, type: ScalarType, dst: readonly number[], src: readonly Source[], options: EmitOptions = {}): void {
    const { from = type, mode = "", memory } = options;
    this.emitted.push({ op, type, from, mode, dst, src, memory, guard: this.statement.guard, ...this.place });
  }
}

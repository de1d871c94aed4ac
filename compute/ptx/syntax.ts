/** The parsed form of a PTX module: names of registers are resolved, everything else is as written. */
import type { Place } from "./errors.ts";
import type { ScalarType } from "./scalar-types.ts";

export type Space = "param" | "global" | "shared" | "local" | "const";

export type Operand =
  | { readonly kind: "register"; readonly id: number }
  /** A predicate that is used inverted. */
  | { readonly kind: "negated"; readonly id: number }
  | { readonly kind: "integer"; readonly value: bigint }
  /** `0f...`, `0d...` or a decimal fraction, which is a double. */
  | { readonly kind: "float"; readonly width: 32 | 64; readonly bits: bigint }
  | { readonly kind: "special"; readonly name: string }
  | { readonly kind: "symbol"; readonly name: string; readonly offset: bigint }
  | { readonly kind: "address"; readonly base: Operand | undefined; readonly offset: bigint }
  | { readonly kind: "vector"; readonly items: readonly Operand[] }
  /** `a|b`, two destinations. */
  | { readonly kind: "pair"; readonly first: Operand; readonly second: Operand }
  /** `_`, a destination that is not wanted. */
  | { readonly kind: "sink" };

export interface Guard {
  readonly register: number;
  readonly negated: boolean;
}

export interface Statement extends Place {
  readonly opcode: string;
  /** Without their dots. */
  readonly modifiers: readonly string[];
  readonly operands: readonly Operand[];
  readonly guard: Guard | undefined;
  /** Of a `call`, which has no other operands. */
  readonly call?: CallSyntax;
}

export interface CallSyntax {
  readonly results: readonly Operand[];
  /** `undefined` for a call through a register. */
  readonly target: string | undefined;
  readonly arguments: readonly Operand[];
}

/** A `.param` variable of a body: where a value is put for a function, or found after it. */
export interface CallParameter {
  /** Unique within the body. */
  readonly name: string;
  readonly size: number;
}

export interface Parameter {
  readonly name: string;
  readonly type: ScalarType;
  /** Bytes; larger than the type for structures passed by value. */
  readonly size: number;
  readonly alignment: number;
  /** From the start of the parameter area. */
  readonly offset: number;
}

export interface Variable extends Place {
  readonly name: string;
  readonly space: Space;
  readonly size: number;
  readonly alignment: number;
  /** Contents, zero-filled to the size; `undefined` when none were given. */
  readonly initial: Uint8Array | undefined;
  /** `.extern .shared x[]`: its size comes from the launch. */
  readonly dynamic: boolean;
}

/** What kernels and device functions have in common. */
export interface ParsedBody {
  readonly parameters: readonly Parameter[];
  readonly registers: readonly ScalarType[];
  readonly registerNames: readonly string[];
  readonly variables: readonly Variable[];
  readonly statements: readonly Statement[];
  /** Label name -> index of the statement that follows it. */
  readonly labels: ReadonlyMap<string, number>;
  /** Name of a `.branchtargets` -> labels. */
  readonly jumpTables: ReadonlyMap<string, readonly string[]>;
  readonly callParameters: readonly CallParameter[];
}

export interface ParsedKernel extends ParsedBody, Place {
  readonly name: string;
  /** Threads per block that the kernel was compiled for, if it says so. */
  readonly requiredThreads: readonly number[] | undefined;
}

export interface ParsedFunction extends ParsedBody, Place {
  readonly name: string;
  readonly results: readonly Parameter[];
  /** Whether it has a body here. */
  readonly defined: boolean;
}

export interface ParsedModule {
  readonly version: string;
  readonly target: string;
  readonly kernels: readonly ParsedKernel[];
  readonly functions: ReadonlyMap<string, ParsedFunction>;
  readonly variables: readonly Variable[];
}

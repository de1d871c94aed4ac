/** A model as read: one graph of operators. */
import type { ElementType } from "./element-types.ts";
import type { Shape, Tensor } from "./tensor.ts";

export type Attribute =
  | { readonly kind: "int"; readonly value: number }
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "ints"; readonly value: readonly number[] }
  | { readonly kind: "floats"; readonly value: readonly number[] }
  | { readonly kind: "strings"; readonly value: readonly string[] }
  | { readonly kind: "tensor"; readonly value: Tensor }
  | { readonly kind: "graph"; readonly value: Graph }
  /** Sequences, sparse tensors: nothing that we lower. */
  | { readonly kind: "other" };

/** The body of a loop or a branch; it may name values of the graph around it. */
export interface Graph {
  readonly nodes: readonly ModelNode[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly initializers: ReadonlyMap<string, Tensor>;
}

export interface ModelNode {
  readonly name: string;
  readonly domain: string;
  readonly operator: string;
  /** "" for one that is left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, Attribute>;
}

export interface ModelInput {
  readonly name: string;
  readonly type: ElementType;
  /** Names stand for sizes that the caller gives; `undefined` for ones without a name. */
  readonly shape: readonly (number | string | undefined)[];
}

export interface Model {
  /** The version of the standard operators. */
  readonly opset: number;
  readonly nodes: readonly ModelNode[];
  readonly inputs: readonly ModelInput[];
  readonly outputs: readonly string[];
  readonly initializers: ReadonlyMap<string, Tensor>;
}

/** An input with its shape settled. */
export interface SettledInput {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: Shape;
}

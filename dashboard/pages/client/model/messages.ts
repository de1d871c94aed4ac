/** What the page and the worker that reads models say to each other. */
import type { Hex } from "viem";
import type { ElementType } from "../../../../compute/onnx/element-types.ts";
import type { ImageOptions, WantedTensor } from "../../../../compute/onnx/files/image-tensor.ts";
import type { Tensor } from "../../../../compute/onnx/tensor.ts";

export interface NamedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Contents extends NamedFile {
  readonly address: Hex;
}

export interface OutputTensor {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
}

/** A model as a program, for the inputs that were given. */
export interface MadeProgram {
  readonly program: Contents;
  /** In the order of the program's input buffers. */
  readonly inputs: readonly Contents[];
  readonly constants: readonly Contents[];
  /** In the order of the program's outputs. */
  readonly outputs: readonly OutputTensor[];
  /** Inputs whose values it was made for: with others it would be another program. */
  readonly bound: readonly string[];
}

export type Question =
  | { readonly kind: "read"; readonly model: Uint8Array }
  | {
      readonly kind: "tensor";
      readonly file: NamedFile;
      readonly wanted: WantedTensor;
      readonly images: ImageOptions;
    }
  | {
      readonly kind: "make";
      readonly model: NamedFile;
      readonly tensors: ReadonlyMap<string, Tensor>;
    };

export type Answer =
  | { readonly kind: "read"; readonly inputs: readonly WantedTensor[]; readonly outputs: readonly string[] }
  | { readonly kind: "tensor"; readonly tensor: Tensor }
  | { readonly kind: "make"; readonly made: MadeProgram };

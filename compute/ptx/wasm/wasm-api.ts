/** The part of the WebAssembly JavaScript interface that we use; the compiler's library for ES2023 does not declare it. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

export type WasmFunction = (...values: readonly (number | bigint)[]) => number | bigint | undefined;

interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>;
}

interface WasmApi {
  readonly Memory: new (limits: { readonly initial: number; readonly maximum: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, WasmMemory | WasmFunction>>>>,
  ) => WasmInstance;
  readonly RuntimeError: new () => Error;
}

declare const WebAssembly: WasmApi;

export const wasmApi: WasmApi = WebAssembly;

export const WASM_PAGE = 65_536;
/** Bytes that a 32-bit memory may have. */
export const WASM_MAX_BYTES: number = 65_536 * WASM_PAGE;

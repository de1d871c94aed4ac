/**
 * The layers of the project: the one statement of who may import whom. docs/ARCHITECTURE.md shows it as a table
 * and tsconfig.json and biome.json repeat parts of it; tests hold all three to what is written here.
 */

export interface Layer {
  /** Longer folders win: `chain/consensus` is a layer of its own inside `chain`. */
  readonly folder: string;
  /** Other layers only; a file may always import its own layer. "anything" is for what nobody imports. */
  readonly mayImport: readonly string[] | "anything";
  /** Pure: no clock, no randomness, no I/O. The same input gives the same output, in a browser too. */
  readonly pure: boolean;
}

const PURE_COMPUTE = ["compute/program", "compute/ptx"];

export const LAYERS: readonly Layer[] = [
  { folder: "base", mayImport: [], pure: true },
  { folder: "genesis", mayImport: ["base"], pure: true },
  { folder: "compute/program", mayImport: ["base"], pure: true },
  { folder: "compute/ptx", mayImport: ["base", "compute/program"], pure: true },
  { folder: "vm/interfaces", mayImport: [], pure: true },
  { folder: "vm", mayImport: ["base", "genesis", ...PURE_COMPUTE, "vm/interfaces"], pure: true },
  { folder: "chain/consensus", mayImport: ["base", "genesis"], pure: true },
  { folder: "chain", mayImport: ["base", "genesis", "vm", "chain/consensus", "chain/light-client"], pure: false },
  // What a page in a browser may know of the chain, so it must run there: a test follows its imports.
  { folder: "chain/light-client", mayImport: ["base", "chain", "chain/consensus"], pure: false },
  { folder: "rpc/client", mayImport: ["base", "compute/program", "vm/interfaces"], pure: false },
  {
    folder: "rpc",
    mayImport: ["base", "genesis", "vm/interfaces", "vm", "chain", "chain/consensus", "rpc/client"],
    pure: false,
  },
  { folder: "compute/native", mayImport: ["base"], pure: false },
  { folder: "compute/kernels", mayImport: ["base", "compute/program"], pure: false },
  { folder: "compute/onnx", mayImport: ["base", ...PURE_COMPUTE, "compute/kernels"], pure: false },
  { folder: "compute/examples", mayImport: ["base", ...PURE_COMPUTE, "compute/kernels"], pure: false },
  { folder: "compute/device", mayImport: ["base", ...PURE_COMPUTE, "compute/native", "compute/kernels"], pure: false },
  { folder: "compute/agent", mayImport: ["base", ...PURE_COMPUTE, "compute/device"], pure: false },
  {
    folder: "cli",
    mayImport: [
      "base",
      "genesis",
      "vm/interfaces",
      "vm",
      "chain",
      "chain/consensus",
      "rpc",
      "rpc/client",
      ...PURE_COMPUTE,
      "compute/onnx",
      "compute/examples",
      "compute/device",
      "compute/agent",
    ],
    pure: false,
  },
  {
    folder: "dashboard",
    mayImport: ["base", ...PURE_COMPUTE, "compute/onnx", "vm/interfaces", "chain/light-client", "rpc/client"],
    pure: false,
  },
  { folder: "bench", mayImport: "anything", pure: false },
  { folder: "test", mayImport: "anything", pure: false },
];

/** Folders that hold no product code; nobody imports them, except that tests may test the benchmarks. */
export const OUTSIDE: readonly string[] = ["bench", "test"];

/** Packages that do no I/O, or whose part that we use does none. `name` or `@scope/*`. Pure folders use no other. */
export const PURE_PACKAGES: readonly string[] = [
  "@chainsafe/blst",
  "@chainsafe/hashtree",
  "@ethereumjs/*",
  "@noble/*",
  "hash-wasm",
  "mcl-wasm",
  "msgpackr",
  "rlp",
  "rustbn-wasm",
  "secp256k1",
  // Its ABI codec; the transports that the package also has are never called.
  "viem",
];

/** Packages that one folder alone knows, so that they can be replaced there. `name`, `@scope/*` or `@scope/begin-*`. */
export const OWNED_PACKAGES: readonly { readonly folder: string; readonly packages: readonly string[] }[] = [
  {
    folder: "chain/network",
    packages: ["libp2p", "@libp2p/*", "@chainsafe/libp2p-*", "@multiformats/multiaddr"],
  },
  { folder: "chain/observe", packages: ["pino", "prom-client"] },
  { folder: "compute/agent/queue", packages: ["bullmq"] },
  { folder: "rpc", packages: ["fastify"] },
];

/** What is started by itself, and so needs nobody to import it. `*` is any file of that folder. */
export const ENTRY_POINTS: readonly string[] = [
  "cli/main.ts",
  "dashboard/main.tsx",
  "dashboard/light-client/*",
  "dashboard/pages/client/model/*",
  "dashboard/portable/*",
  "bench/main.ts",
  "bench/cases/*",
  "test/conformance/*",
  "test/sim/main.ts",
  "test/processes/soak.ts",
];

/**
 * Files made before what will use them, or whole folders (`a/b/`), each with the issue that brings their user. The
 * line goes when the first of them is used.
 */
export const BUILT_AHEAD: ReadonlyMap<string, number> = new Map();

export function layerOf(path: string): Layer | undefined {
  let best: Layer | undefined;
  for (const layer of LAYERS) {
    const inside = path.startsWith(`${layer.folder}/`);
    if (inside && layer.folder.length > (best?.folder.length ?? 0)) best = layer;
  }
  return best;
}

/**
 * Builds the dashboard with Vite: from dashboard/ to build/dashboard, with each file compressed beside it.
 * Set-up runs it when its sources have changed.
 *
 *   node scripts/build-dashboard.mjs
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, resolve } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "vite";
import { at } from "./setup/paths.mjs";

const OUT = at("build/dashboard");
const FRESH = `${OUT}.new`;
const OLD = `${OUT}.old`;
/** What the node does with WebAssembly or files, done without: the page's policy lets no code be compiled. */
const PORTABLE = new Map(
  [
    ["base/keccak.ts", "keccak.ts"],
    ["base/hash-pairs.ts", "hash-pairs.ts"],
    ["base/sha256.ts", "sha256.ts"],
    ["compute/kernels/ptx-text.ts", "ptx-text.ts"],
    ["compute/onnx/evaluate.ts", "evaluate.ts"],
  ].map(([path, name]) => [at(path), at(`dashboard/portable/${name}`)]),
);

const portable = {
  name: "portable",
  enforce: "pre",
  resolveId(source, importer) {
    // Vite would put an empty module in its place, which fails when somebody uses the page.
    if (isBuiltin(source)) throw new Error(`${importer} imports ${source}, which no browser has`);
    if (source === "@noble/curves/secp256k1") return at("dashboard/portable/secp256k1.ts");
    if (importer === undefined || !source.startsWith(".")) return undefined;
    return PORTABLE.get(resolve(dirname(importer), source));
  },
};

await build({
  root: at("dashboard"),
  configFile: false,
  logLevel: "error",
  base: "./",
  plugins: [portable],
  worker: { format: "es", plugins: () => [portable] },
  build: {
    outDir: FRESH,
    emptyOutDir: true,
    target: "es2022",
    // light-dark() as it is: every browser of the last two years has it.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});

for (const folder of ["", "/assets"]) {
  for (const name of readdirSync(`${FRESH}${folder}`, { withFileTypes: true })) {
    if (!name.isFile()) continue;
    const path = `${FRESH}${folder}/${name.name}`;
    const bytes = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${path}.br`, brotliCompressSync(bytes));
  }
}
// Beside its place first, so that no node reads half of it.
rmSync(OLD, { recursive: true, force: true });
if (existsSync(OUT)) renameSync(OUT, OLD);
renameSync(FRESH, OUT);
rmSync(OLD, { recursive: true, force: true });

/**
 * Completes package-lock.json after `npm install`. A registry mirror may carry only the builds for its own platform;
 * npm then leaves the other platforms' packages out of the lock file, and `npm ci` refuses such a lock everywhere.
 * This adds them: name and version are what the depending package pins, the platform follows from the name.
 * They have no integrity hash; an `npm install` against a full registry fills it in.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { at } from "./setup/paths.mjs";

const PLATFORM =
  /(?<os>win32|darwin|linux|android|freebsd|openharmony)-(?<cpu>x64|arm64|arm|ia32|ppc64|riscv64|s390x)(?:-(?<abi>\w+))?$/;

function platformOf(name) {
  const { os, cpu, abi } = PLATFORM.exec(name)?.groups ?? {};
  // What names no system is the WebAssembly build, which npm installs nowhere by itself.
  if (os === undefined) return { cpu: ["wasm32"] };
  if (os !== "linux" || abi === undefined) return { cpu: [cpu], os: [os] };
  return { cpu: [cpu], libc: [abi === "musl" ? "musl" : "glibc"], os: [os] };
}

const path = at("package-lock.json");
const lock = JSON.parse(readFileSync(path, "utf8"));
const added = [];
for (const [parent, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const places = [`${parent}/node_modules/${name}`, `node_modules/${name}`];
    if (places.some((place) => lock.packages[place] !== undefined)) continue;
    if (!/^\d+\.\d+\.\d+/.test(version))
      throw new Error(`${parent} asks for ${name} ${version}: give it an exact version`);
    lock.packages[`node_modules/${name}`] = { version, ...(dev && { dev }), optional: true, ...platformOf(name) };
    added.push(name);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(added.length === 0 ? "package-lock.json is complete" : `added: ${added.join(", ")}`);

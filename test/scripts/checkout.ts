/** A small checkout with the real set-up script and packages, to run set-up in. */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

export interface Checkout {
  readonly folder: string;
  write(path: string, text: string): void;
  /** Runs set-up with the given flags to its end. */
  setUp(flags?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  remove(): void;
}

/** `packages`: whether node_modules is there, as after `npm install` by hand. */
export function makeCheckout(packages: boolean): Checkout {
  const folder = mkdtempSync(join(tmpdir(), "ogpu-setup-"));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const path of ["scripts", "package.json", "package-lock.json"]) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  if (packages) linkPackages(folder);
  write(
    "tsconfig.json",
    JSON.stringify({
      compilerOptions: {
        ...{ module: "nodenext", target: "es2023", types: [], rootDir: ".", outDir: "dist", sourceMap: true },
        ...{ declaration: true, incremental: true, tsBuildInfoFile: "dist/.tsbuildinfo" },
      },
      include: ["base"],
    }),
  );
  write("base/a.ts", "export const a = 1;\n");
  return {
    folder,
    write,
    setUp: (flags = [], env = {}) => run(folder, [join(folder, "scripts/setup.mjs"), ...flags], env),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Links to the packages of this project, beside npm's own record of them. */
function linkPackages(folder: string): void {
  mkdirSync(join(folder, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    const target = join(folder, "node_modules", name);
    if (name === ".package-lock.json") cpSync(join(ROOT, "node_modules", name), target);
    else if (!name.startsWith(".")) symlinkSync(join(ROOT, "node_modules", name), target);
  }
}

/** With a clean environment: a test runner's would change how Node.js and npm behave. */
export function run(folder: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, env });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Uint8Array) => {
        output += new TextDecoder().decode(chunk);
      });
    }
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Checkout, makeCheckout, run } from "./checkout.ts";

let checkout: Checkout;

function begin(packages = true): Checkout {
  checkout = makeCheckout(packages);
  return checkout;
}

afterEach(() => checkout.remove());

function distFiles(): readonly string[] {
  return readdirSync(join(checkout.folder, "dist"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".js"))
    .sort();
}

function lockFiles(): readonly string[] {
  return readdirSync(checkout.folder).filter((name) => name.startsWith(".setup-lock"));
}

describe("set-up", () => {
  it("compiles, leaves packages that match the lock file alone, and then has nothing to do", async () => {
    const { setUp } = begin();
    expect(await setUp(["--quiet"])).toEqual({ code: 0, output: "set-up: compiling\n" });
    expect(distFiles()).toEqual(["base/a.js"]);
    expect(await setUp(["--quiet"])).toEqual({ code: 0, output: "" });
    expect(await setUp()).toEqual({ code: 0, output: "set-up: nothing to do\n" });
    expect(lockFiles()).toEqual([]);
  });

  it("follows changed, added and removed sources", async () => {
    const { setUp, write, folder } = begin();
    await setUp();
    write("base/a.ts", "export const a = 22;\n");
    write("base/inner/b.ts", "export const b = 1;\n");
    expect((await setUp(["--quiet"])).output).toBe("set-up: compiling\n");
    expect(readFileSync(join(folder, "dist/base/a.js"), "utf8")).toContain("22");
    expect(distFiles()).toEqual(["base/a.js", "base/inner/b.js"]);
    rmSync(join(folder, "base/inner"), { recursive: true });
    await setUp();
    expect(readdirSync(join(folder, "dist/base")).sort()).toEqual(["a.d.ts", "a.js", "a.js.map"]);
  });

  it("makes again what somebody deleted from dist", async () => {
    const { setUp, write, folder } = begin();
    write("base/b.ts", "export const b = 1;\n");
    await setUp();
    rmSync(join(folder, "dist/base/a.js"));
    write("base/b.ts", "export const b = 22;\n");
    await setUp();
    expect(distFiles()).toEqual(["base/a.js", "base/b.js"]);
  });

  it("shows compile errors, fails, and goes on once they are mended", async () => {
    const { setUp, write } = begin();
    write("base/a.ts", "export const a: number = 'text';\n");
    const failed = await setUp(["--quiet"]);
    expect(failed.code).toBe(1);
    expect(failed.output).toContain("set-up failed: the sources do not compile:\nbase/a.ts(1,14): error TS2322");
    expect(failed.output).toContain("run the same command again");
    expect(lockFiles()).toEqual([]);
    write("base/a.ts", "export const a: number = 1;\n");
    expect((await setUp(["--quiet"])).code).toBe(0);
  });

  it("runs once when several start at the same time", async () => {
    const { setUp } = begin();
    const results = await Promise.all([setUp(), setUp(), setUp()]);
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(results.filter(({ output }) => output.includes("compiling"))).toHaveLength(1);
    expect(lockFiles()).toEqual([]);
  });

  it("takes over from one that was killed", async () => {
    const { setUp, write } = begin();
    const ended = await run(checkout.folder, ["-p", "process.pid"], {});
    write(".setup-lock", `${ended.output.trim()} ${hostname()}`);
    expect((await setUp()).code).toBe(0);
    expect(lockFiles()).toEqual([]);
  });
});

describe("set-up says in one message what is missing and what to do:", () => {
  it("a newer Node.js", async () => {
    const { folder } = begin(false);
    const old = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.18.3"}})';
    const { code, output } = await run(folder, ["--import", old, "scripts/setup.mjs"], {});
    expect(code).toBe(1);
    expect(output).toBe(
      "\nset-up failed: Node.js 20.19 or newer is needed, this is 20.18.3.\n" +
        "Install a current version from https://nodejs.org and run the same command again.\n",
    );
  });

  it("npm", async () => {
    const { code, output } = await begin(false).setUp([], { PATH: "" });
    expect(code).toBe(1);
    expect(output).toContain("set-up failed: npm was not found.\nInstall Node.js");
  });

  it("the network", async () => {
    const { setUp, folder } = begin(false);
    const { code, output } = await setUp([], {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: folder,
      npm_config_cache: join(folder, "cache"),
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_fetch_retries: "0",
    });
    expect(code).toBe(1);
    expect(output).toContain("set-up failed: the package registry could not be reached.\nCheck the network");
    expect(existsSync(join(folder, "dist"))).toBe(false);
  });

  it("a native package that we cannot do without", async () => {
    const { setUp, folder } = begin();
    rmSync(join(folder, "node_modules/classic-level"));
    // As if it were installed, but without a binary for this platform.
    checkout.write("node_modules/classic-level/index.js", "throw new Error('no native build was found');");
    const { code, output } = await setUp();
    expect(code).toBe(1);
    expect(output).toContain("set-up failed: the native package classic-level does not load on");
    expect(output).toContain("no native build was found");
  });

  it("a native package that has a portable replacement, and goes on", async () => {
    const { setUp, folder } = begin();
    rmSync(join(folder, "node_modules/secp256k1"));
    checkout.write("node_modules/secp256k1/bindings.js", "throw new Error('no native build was found');");
    // Packages that it brings along are there, or set-up would install everything again.
    checkout.write("node_modules/secp256k1/node_modules/node-addon-api/package.json", "{}");
    const { code, output } = await setUp(["--quiet"]);
    expect(code).toBe(0);
    expect(output).toBe(
      "set-up: warning: secp256k1 does not load here (no native build was found): " +
        "signatures are checked in JavaScript, about 30 times slower\nset-up: compiling\n",
    );
    expect(await setUp(["--quiet"])).toEqual({ code: 0, output: "" });
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Checkout, makeCheckout, run } from "./checkout.ts";

let checkout: Checkout;

/** With `program` as the source of what `npm start` runs; it is not checked, as it sees no types of Node.js. */
function begin(program: string): Checkout {
  checkout = makeCheckout(true);
  checkout.write(
    "tsconfig.json",
    JSON.stringify({
      compilerOptions: {
        ...{ module: "nodenext", target: "es2023", types: [], rootDir: ".", outDir: "dist", sourceMap: true },
        ...{ declaration: true, incremental: true, tsBuildInfoFile: "dist/.tsbuildinfo" },
      },
      include: ["cli"],
    }),
  );
  checkout.write("cli/main.ts", `// @ts-nocheck\nexport {};\n${program}\n`);
  return checkout;
}

afterEach(() => checkout.remove());

describe("node scripts/run.mjs", () => {
  it("sets up, then is the program as if that had been called directly", async () => {
    const { folder } = begin("console.log(JSON.stringify(process.argv.slice(1))); process.exitCode = 7;");
    const { code, output } = await run(folder, ["scripts/run.mjs", "ogpu", "balance", "--json"], {});
    expect(code).toBe(7);
    const [first, second = ""] = output.split("\n");
    expect(first).toBe("set-up: compiling");
    expect(JSON.parse(second)).toEqual([join(folder, "dist/cli/main.js"), "balance", "--json"]);
  });

  it("does not start the program when set-up fails", async () => {
    const { folder, write } = begin("console.log('started');");
    write("cli/wrong.ts", "export const a: number = 'text';\n");
    const { code, output } = await run(folder, ["scripts/run.mjs", "ogpu"], {});
    expect(code).toBe(1);
    expect(output).toContain("set-up failed: the sources do not compile");
    expect(output).not.toContain("started");
  });

  it("names the programs there are", async () => {
    const { code, output } = await run(begin("").folder, ["scripts/run.mjs", "nothing"], {});
    expect(code).toBe(2);
    expect(output).toContain("ogpu, bench, conformance, sim");
  });
});

describe("npm start", () => {
  it("stops in an orderly way when npm is told to end, with exit code 0 and no process left behind", async () => {
    const { folder } = begin(
      [
        'import { writeFileSync } from "node:fs";',
        'const stop = () => { writeFileSync("stopped", ""); process.exit(0); };',
        'process.once("SIGTERM", stop);',
        "setInterval(() => {}, 1000);",
        'console.log("READY " + process.pid);',
      ].join("\n"),
    );
    const npm = spawn("npm", ["start"], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
    let output = "";
    npm.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const closed = once(npm, "exit");
    const pid = await vi.waitFor(() => Number(/READY (\d+)/.exec(output)?.[1] ?? expect.fail(output)), 60_000);
    npm.kill("SIGTERM");
    expect((await closed)[0]).toBe(0);
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 30_000);
    expect(existsSync(join(folder, "stopped"))).toBe(true);
  });
});

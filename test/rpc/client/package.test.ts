/** `opengpu/client` as somebody else has it: packed, installed in a folder of its own, run by Node.js and read by tsc. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { HostedNode } from "../support/hosted-node.ts";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
/** What of our dependencies the client needs; as npm would, but without asking a registry. */
const NEEDED = ["viem", "hash-wasm"];

const PROGRAM = `
import { createPublicClient, http } from "viem";
import { type NodeStatus, ogpuActions, ogpuModules, type Supply } from "opengpu/client";

const client = createPublicClient({ transport: http(process.argv[2] ?? "") }).extend(ogpuActions);
const { total }: Supply = await client.getSupply();
const { chainId, head }: NodeStatus = await client.getStatus();
const count: bigint = await client.readModule({ module: "staking", functionName: "activeCount", args: [] });
const height: bigint = head.number;
const answers = { total, chainId, height, count, modules: Object.keys(ogpuModules) };
console.log(JSON.stringify(answers, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
`;

/** That these are errors shows that types arrive. */
const WRONG = `
import { createPublicClient, http } from "viem";
import { ogpuActions } from "opengpu/client";

const client = createPublicClient({ transport: http("") }).extend(ogpuActions);
export const total: string = (await client.getSupply()).total;
export const wrong = client.readModule({ module: "staking", functionName: "noSuchFunction", args: [] });
`;

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "opengpu-client-"));
let hosted: HostedNode;

beforeAll(async () => {
  hosted = await HostedNode.open();
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: REPOSITORY,
    maxBuffer: 1 << 26,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const installed = join(folder, "node_modules", "opengpu");
  mkdirSync(installed, { recursive: true });
  await run("tar", ["-xzf", join(folder, filename), "-C", installed, "--strip-components=1"]);
  for (const name of NEEDED) symlinkSync(join(REPOSITORY, "node_modules", name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const compilerOptions = {
    ...{ target: "es2023", lib: ["es2023", "dom"], module: "nodenext", strict: true, skipLibCheck: false },
    ...{ types: [], typeRoots: [], outDir: "out" },
  };
  const declared = "declare const process: { readonly argv: readonly string[] };";
  writeFileSync(join(folder, "program.ts"), `${declared}\n${PROGRAM}`);
  writeFileSync(join(folder, "wrong.ts"), WRONG);
  for (const name of ["program", "wrong"]) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
  }
});

afterAll(async () => {
  await hosted.close();
  rmSync(folder, { recursive: true, force: true });
});

async function compile(name: string): Promise<string> {
  const compiler = join(REPOSITORY, "node_modules", ".bin", "tsc");
  const { stdout } = await run(compiler, ["-p", `${name}.json`], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

it("is compiled with all its types, and asks a node", async () => {
  expect(await compile("program")).toBe("");
  const { stdout } = await run("node", [join("out", "program.js"), String(hosted.host.url)], { cwd: folder });
  const chainId = Number(hosted.alone.spec.chainId);
  const answer: unknown = JSON.parse(stdout);
  expect(answer).toMatchObject({ chainId, count: 1, modules: expect.arrayContaining(["staking", "trustLock"]) });
  expect(answer).toMatchObject({ total: expect.any(Number), height: expect.any(Number) });
});

it("does not compile what is wrong", async () => {
  const errors = await compile("wrong");
  expect(errors).toContain("Type 'bigint' is not assignable to type 'string'");
  expect(errors).toContain("noSuchFunction");
});

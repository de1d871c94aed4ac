import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { openKeystore, readKeystore } from "../../chain/keys/keystore-file.ts";
import { COMMANDS } from "../../cli/commands.ts";
import { readConfig } from "../../cli/config.ts";
import { questionsFor } from "../../cli/init/questions.ts";
import { serviceFile } from "../../cli/init/service-file.ts";
import { runCommandLine } from "../../cli/run.ts";

const root = mkdtempSync(join(tmpdir(), "ogpu-init-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function run(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommandLine(words, COMMANDS, readConfig({}), {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    signal: new AbortController().signal,
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

describe("ogpu init validator", () => {
  const folder = join(root, "v");

  it("makes keys that its password opens, for nobody else to read, and says what is left to do", async () => {
    const { code, out } = await run("init", "validator", folder, "--network", "devnet", "--yes", "--json");
    expect(code).toBe(0);
    const made = JSON.parse(out) as {
      passwordFile: string;
      operator: { file: string; address: string };
      validator: { file: string; publicKey: string; proofFile: string };
      service: string;
      command: string[];
    };
    const password = readFileSync(made.passwordFile, "utf8").trim();
    for (const { file } of [made.operator, made.validator]) {
      expect(statSync(file).mode & 0o077).toBe(0);
      expect(await openKeystore(await readKeystore(file), password)).toHaveLength(32);
    }
    expect(statSync(made.passwordFile).mode & 0o077).toBe(0);
    expect(JSON.parse(readFileSync(made.validator.proofFile, "utf8"))).toMatchObject({
      ...{ publicKey: made.validator.publicKey, operator: made.operator.address },
    });
    expect(readFileSync(made.service, "utf8")).toContain(`--key ${made.validator.file}`);
    expect(made.command.slice(0, 4)).toEqual(["ogpu", "validator", "--network", "devnet"]);
  });

  it("names the spec so that a service finds it, which runs in another folder", async () => {
    const spec = join(root, "my.json");
    await run("genesis", "create", spec, "--name", "mine", "--chain-id", "777001");
    const { out } = await run(
      "init",
      "validator",
      join(root, "mine"),
      "--network",
      relative(".", spec),
      "--yes",
      "--json",
    );
    const { service, command } = JSON.parse(out) as { service: string; command: string[] };
    expect(command.slice(2, 4)).toEqual(["--spec", spec]);
    expect(readFileSync(service, "utf8")).toContain(`--spec ${spec}`);
  });

  it("says that a network without validators cannot be followed yet, and shows paths as a shell takes them", async () => {
    const { code, out } = await run("init", "validator", join(root, "a 'b"), "--network", "testnet", "--yes");
    expect(code).toBe(0);
    expect(out).toContain("3. Start the node, which refuses until testnet has validators:");
    const shown = (...path: readonly string[]): string => `'${join(root, "a '\\''b", ...path)}'`;
    expect(out).toContain(`--data-dir ${shown("data")}`);
    expect(out).toContain(`--key ${shown("keys", "operator.json")}`);
  });

  it("never writes over what is there", async () => {
    const before = readFileSync(join(folder, "password"), "utf8");
    const { code, err } = await run("init", "validator", folder, "--network", "devnet", "--yes");
    expect(code).toBe(1);
    expect(err).toContain("[FILE_EXISTS]");
    expect(readFileSync(join(folder, "password"), "utf8")).toBe(before);
  });

  it("refuses a network, a port and a peer that there are not before it makes anything", async () => {
    const other = join(root, "other");
    expect((await run("init", "validator", other, "--network", "nowhere", "--yes")).err).toContain("[SPEC_MISSING]");
    expect((await run("init", "validator", other, "--p2p-port", "70000", "--yes")).code).toBe(2);
    expect((await run("init", "validator", other, "--bootstrap", "there", "--yes")).err).toContain(
      "--bootstrap there: ",
    );
    expect(() => statSync(other)).toThrow();
  });
});

describe("ogpu init provider", () => {
  it("makes an account and a service that runs the provider with the answers", async () => {
    const folder = join(root, "p");
    const given = [
      "--device",
      "cuda:1",
      "--endpoint",
      "https://gpu.example.org",
      "--name",
      "my GPU",
      "--yes",
      "--json",
    ];
    const { code, out } = await run("init", "provider", folder, ...given);
    expect(code).toBe(0);
    const { account, service, command } = JSON.parse(out) as {
      account: { file: string };
      service: string;
      command: string[];
    };
    expect(statSync(account.file).mode & 0o077).toBe(0);
    expect(command.slice(0, 2)).toEqual(["ogpu", "provider"]);
    expect(readFileSync(service, "utf8")).toContain(`--key ${account.file}`);
    expect(readFileSync(service, "utf8")).toContain('--name "my GPU" --device cuda:1');
  });
});

it("a device, an amount or an address that there cannot be is refused before anything is made", async () => {
  const folder = join(root, "q");
  for (const wrong of [
    ["--device", "gpu"],
    ["--collateral", "much"],
    ["--endpoint", "here"],
    ["--rpc", "localhost:8545"],
  ]) {
    expect((await run("init", "provider", folder, ...wrong, "--yes")).code).toBe(2);
  }
  expect(() => statSync(folder)).toThrow();
});

describe("questions", () => {
  it("are asked at a terminal until the answer will do, with the usual one for an empty line", async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = new PassThrough();
    let shown = "";
    output.on("data", (chunk) => {
      shown += String(chunk);
    });
    const questions = questionsFor("ogpu x", false, { input, output });
    const check = (answer: string): void => {
      if (answer === "bad") throw new Error("not that one");
    };
    const asked = questions.ask({ text: "Which?", option: "--x", given: undefined, usual: "this", check });
    input.write("bad\n");
    await new Promise((resolve) => setImmediate(resolve));
    input.write("\n");
    expect(await asked).toBe("this");
    expect(shown).toContain("Which? [this]");
    expect(shown).toContain("not that one");
    questions.close();
  });

  it("that nobody can answer name the option that would", async () => {
    const questions = questionsFor("ogpu x", true);
    await expect(questions.ask({ text: "Which?", option: "--x", given: undefined, usual: undefined })).rejects.toThrow(
      "--x is missing: Which?",
    );
  });
});

describe("the service", () => {
  it("quotes what systemd would read as more than itself", () => {
    const text = serviceFile({
      ...{ description: "d", words: ["validator", "--spec", "a b%c$d"], program: ["/usr/bin/node", "/o/main.js"] },
      folder: "/srv/x",
    });
    expect(text).toContain('ExecStart=/usr/bin/node /o/main.js validator --spec "a b%%c$$d"\n');
  });
});

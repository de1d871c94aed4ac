import { describe, expect, it } from "vitest";
import { CodedError } from "../../base/errors.ts";
import { describeFailure } from "../../cli/failure.ts";
import { run } from "./sample.ts";

describe("options and arguments", () => {
  it("reach the command with their types, defaults filled in", async () => {
    const { code, out } = await run("thing create a.json --json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      args: ["a.json"],
      network: "devnet",
      count: 3,
      peer: [],
      force: false,
      big: "100000000000000000000",
    });
  });

  it("are read in every form that people write", async () => {
    const { out } = await run(
      "thing create --count=7 -d here a b c --peer x --peer y --force --network testnet --json",
    );
    expect(JSON.parse(out)).toMatchObject({
      args: ["a", "b", "c"],
      count: 7,
      dataFolder: "here",
      peer: ["x", "y"],
      force: true,
      network: "testnet",
    });
  });

  it("come from the environment where the option says so, and the command line wins", async () => {
    const env = { OGPU_DATA: "there" };
    expect(JSON.parse((await run("thing create a --json", env)).out)).toMatchObject({ dataFolder: "there" });
    expect(JSON.parse((await run("thing create a -d here --json", env)).out)).toMatchObject({ dataFolder: "here" });
  });

  it("end at --, after which everything is an argument", async () => {
    expect(JSON.parse((await run("thing create --json -- --force")).out)).toMatchObject({
      args: ["--force"],
      force: false,
    });
  });
});

describe("wrong usage ends with code 2 and says what to do", () => {
  it.each([
    ["thin", "unknown command ogpu thin; did you mean ogpu thing?", "ogpu --help"],
    ["zzzzzzzz", "unknown command ogpu zzzzzzzz", "ogpu --help"],
    ["thing craete a", "unknown command ogpu thing craete; did you mean ogpu thing create?", "ogpu thing --help"],
    ["thing create", "<file> is missing: where to write it", "ogpu thing create --help"],
    ["thing create a --cuont 3", "unknown option --cuont; did you mean --count?", "ogpu thing create --help"],
    ["thing create a --count x", "--count is a whole number from 1 to 10, not x", "ogpu thing create --help"],
    ["thing create a --count 11", "--count is a whole number from 1 to 10, not 11", "ogpu thing create --help"],
    ["thing create a --count -1", "--count is a whole number from 1 to 10, not -1", "ogpu thing create --help"],
    ["thing create a --count 1.5", "--count is a whole number from 1 to 10, not 1.5", "ogpu thing create --help"],
    ["thing create a --count", "--count needs a value", "ogpu thing create --help"],
    ["thing create a --data-folder --force", "--data-folder needs a value", "ogpu thing create --help"],
    ["thing create a -d x -d y", "-d was given twice", "ogpu thing create --help"],
    ["thing create a --force=yes", "--force takes no value", "ogpu thing create --help"],
    [
      "thing create a --network devnt",
      "--network is one of devnet, testnet, not devnt; did you mean devnet?",
      "ogpu thing create --help",
    ],
    ["thing strict", "--key is required: the key", "ogpu thing strict --help"],
    ["thing strict --key k surplus", "unexpected argument surplus", "ogpu thing strict --help"],
    [
      "thing strict --key k --at here",
      "--at is an address such as http://127.0.0.1:8545, not here",
      "ogpu thing strict --help",
    ],
    ["--forc", "--forc needs a command before it", "ogpu --help"],
    ["thing --force", "--force needs a command before it", "ogpu thing --help"],
    ["help thing nothing", "unknown command ogpu thing nothing", "ogpu thing --help"],
  ])("ogpu %s", async (line, message, next) => {
    expect(await run(line)).toEqual({ code: 2, out: "", err: `error [USAGE] ${message}\nSee: ${next}` });
  });

  it("and an address of nothing that HTTP reaches is refused, wherever it comes from", async () => {
    for (const at of ["localhost:8545", "127.0.0.1:8545", "ws://127.0.0.1:8545"]) {
      expect(await run("thing strict --key k", { OGPU_AT: at })).toMatchObject({
        code: 2,
        err: `error [USAGE] OGPU_AT is an address such as http://127.0.0.1:8545, not ${at}\nSee: ogpu thing strict --help`,
      });
    }
    expect(await run("thing strict --key k --at https://node.example/rpc")).toMatchObject({ code: 0, out: "k" });
  });

  it("and an empty value is no value, even where the environment has one", async () => {
    const { err } = await run("thing create a --data-folder=", { OGPU_DATA: "x" });
    expect(err).toContain("--data-folder needs a value");
  });
});

describe("a group whose word does something by itself", () => {
  it("does it, with its options, and has other commands beside it", async () => {
    for (const line of ["helper --hours 3", "helper work --hours 3"]) {
      expect(await run(line)).toEqual({ code: 0, out: "worked for 3 hours", err: "" });
    }
    expect((await run("helper")).out).toBe("worked for 8 hours");
    expect(JSON.parse((await run("helper --json")).out)).toEqual({ hours: 8 });
    expect((await run("helper rest")).out).toBe("rested");
  });

  it("explains its commands and its options at once", async () => {
    const { code, out } = await run("helper --help");
    expect(code).toBe(0);
    expect(out).toContain("Usage: ogpu helper <command> [options], or ogpu helper [options] to work");
    expect(out).toMatch(/rest +Do nothing/);
    expect(out).toMatch(/--hours <n> +how long \(default 8\)/);
    expect(await run("help helper")).toEqual({ code, out, err: "" });
    expect(JSON.parse((await run("helper --help --json")).out)).toMatchObject({ alone: "work" });
    expect((await run("helper work --help")).out).toContain("Usage: ogpu helper work [options]");
  });

  it.each([
    ["helper wrok", "unknown command ogpu helper wrok; did you mean ogpu helper work?"],
    ["helper --huors 3", "unknown option --huors; did you mean --hours?"],
  ])("ogpu %s is refused", async (line, message) => {
    expect(await run(line)).toEqual({ code: 2, out: "", err: `error [USAGE] ${message}\nSee: ogpu helper --help` });
  });
});

describe("a failure", () => {
  it("of a known kind has its code, its message, what to do next, and exit code 1", async () => {
    expect(await run("fail coded")).toEqual({
      code: 1,
      out: "",
      err: "error [NO_FUNDS] the account is empty\nSend it oGPU.",
    });
  });

  it("is one JSON document on standard error with --json", async () => {
    const { code, out, err } = await run("fail coded --json");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(JSON.parse(err)).toEqual({
      error: { code: "NO_FUNDS", message: "the account is empty", data: { missing: "5" }, hint: "Send it oGPU." },
    });
  });

  it("of the machine keeps the system's code and says the usual cure", async () => {
    expect((await run("fail system")).err).toMatch(/^error \[EADDRINUSE\] .*\nAnother program uses that port/);
  });

  it.each(["EADDRNOTAVAIL", "ENOTFOUND", "EISDIR", "ENOTDIR", "EROFS", "EMFILE", "EPERM", "EACCES", "ENOENT"])(
    "%s of the machine is not called a bug of ours, and its code is told once",
    (code) => {
      const failure = describeFailure(Object.assign(new Error(`${code}: it went wrong`), { code }));
      expect(failure).toMatchObject({ code, message: "it went wrong", exitCode: 1 });
      expect(failure.hint).not.toContain("bug");
    },
  );

  it("that a library wraps is told as what it is, with its cure", () => {
    const away = new CodedError("RPC_UNREACHABLE", "no node answers", { hint: "Start one." });
    const wrapped = new Error("An unknown RPC error occurred.", {
      cause: new Error("Request failed", { cause: away }),
    });
    expect(describeFailure(wrapped)).toMatchObject({
      ...{ code: "RPC_UNREACHABLE", message: "no node answers", hint: "Start one.", exitCode: 1 },
    });
  });

  it("to listen speaks of the port and not of a path", () => {
    const error = Object.assign(new Error("listen EACCES"), { code: "EACCES", syscall: "listen" });
    expect(describeFailure(error).hint).toContain("port");
  });

  it("of our own shows no stack trace, unless OGPU_DEBUG is set", async () => {
    const quiet = await run("fail bug");
    expect(quiet.code).toBe(1);
    expect(quiet.err).toMatch(/^error \[INTERNAL\] x is not a function\n.*OGPU_DEBUG=1/);
    expect(quiet.err).not.toContain("    at ");
    expect((await run("fail bug", { OGPU_DEBUG: "1" })).err).toContain("    at ");
    expect((await run("fail bug", { OGPU_DEBUG: "0" })).err).not.toContain("    at ");
  });

  it("may also be an exit code that the command returns", async () => {
    expect(await run("fail result")).toEqual({ code: 1, out: "", err: "" });
  });
});

describe("help", () => {
  it("lists all commands by section when there is no command, and ends with code 0", async () => {
    const overview = await run("");
    expect(overview.code).toBe(0);
    expect(overview.out).toMatch(/Things:\n {2}thing {2}Work with things/);
    expect(overview.out).toContain("npm run ogpu -- <command>");
    expect(overview.out).toMatch(/Failures:\n {2}fail/);
    for (const line of ["help", "--help", "-h"]) expect(await run(line)).toEqual(overview);
  });

  it("explains a group", async () => {
    const group = await run("thing --help");
    expect(group.out).toContain("Usage: ogpu thing <command> [options]");
    expect(group.out).toMatch(/create +Create a thing/);
    for (const line of ["help thing", "thing", "thing -h"]) expect(await run(line)).toEqual(group);
  });

  it("explains a command: arguments, options with their defaults and variables, examples", async () => {
    const { code, out } = await run("thing create --help");
    expect(code).toBe(0);
    expect(out).toContain("Usage: ogpu thing create <file> [more...] [options]");
    expect(out).toMatch(/--network <name> +which network \(one of devnet, testnet; default devnet\)/);
    expect(out).toMatch(/-d, --data-folder <folder> +where data lies \(or OGPU_DATA\)/);
    expect(out).toMatch(/--peer <address> +a peer to dial \(may be repeated\)/);
    expect(out).toMatch(/--json +print results as JSON/);
    expect(out).toMatch(/ogpu thing create a.json +with the defaults/);
    expect(await run("help thing create")).toEqual({ code, out, err: "" });
  });

  it("comes before complaints about the rest of the line", async () => {
    expect((await run("thing create --wrong --help")).code).toBe(0);
  });

  it("is data with --json, at every level", async () => {
    for (const line of [
      "--help --json",
      "help --json",
      "thing --json",
      "thing create --help --json",
      "help fail --json",
    ]) {
      const { code, out } = await run(line);
      expect(code, line).toBe(0);
      expect(JSON.parse(out), line).toBeTypeOf("object");
    }
  });
});

describe("results", () => {
  it("are text for people, with progress apart on standard error", async () => {
    expect(await run("thing create a")).toEqual({ code: 0, out: "created 3 in undefined", err: "working" });
  });

  it("are alone with --json", async () => {
    expect((await run("thing create a --json")).err).toBe("");
  });
});

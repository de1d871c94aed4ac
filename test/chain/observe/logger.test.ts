import { describe, expect, it } from "vitest";
import { CodedError } from "../../../base/errors.ts";
import { parseLogLevels, SUBSYSTEMS } from "../../../chain/observe/log-levels.ts";
import { createLogger, type LoggerOptions, type Loggers, silentLogger } from "../../../chain/observe/logger.ts";

function logged(write: (loggers: Loggers) => void, options: Partial<LoggerOptions> = {}): string[] {
  const lines: string[] = [];
  write(createLogger({ destination: { write: (line) => lines.push(line) }, ...options }));
  return lines;
}

/** The one line, as an object. */
function entry(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const [line = ""] = logged((say) => say("node").info(facts, "said"));
  return JSON.parse(line) as Record<string, unknown>;
}

describe("the log", () => {
  it("writes one line of JSON for each message, with time, level and subsystem", () => {
    const [line = "", ...others] = logged((say) => say("consensus").warn({ view: 7 }, "view given up"));
    expect(others).toEqual([]);
    expect(line.endsWith("}\n")).toBe(true);
    const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
    expect(rest).toEqual({ level: "warn", subsystem: "consensus", message: "view given up", view: 7 });
    expect(new Date(String(time)).toISOString()).toBe(time);
  });

  it("has a level for all and others for single subsystems", () => {
    const say = (loggers: Loggers): void => {
      for (const name of SUBSYSTEMS) {
        loggers(name).debug({}, "detail");
        loggers(name).warn({}, "warning");
      }
    };
    const lines = logged(say, parseLogLevels("warn,network=debug,rpc=silent"));
    const said = lines.map((line) => JSON.parse(line) as { subsystem: string; level: string });
    expect(said.filter(({ level }) => level === "debug").map(({ subsystem }) => subsystem)).toEqual(["network"]);
    expect(said.filter(({ level }) => level === "warn").map(({ subsystem }) => subsystem)).toEqual(
      SUBSYSTEMS.filter((name) => name !== "rpc"),
    );
  });

  it("says whether a level is worth gathering facts for", () => {
    expect(silentLogger()("node").isEnabled("error")).toBe(false);
    const node = createLogger({ level: "info", destination: { write: () => undefined } })("node");
    expect([node.isEnabled("info"), node.isEnabled("debug")]).toEqual([true, false]);
  });

  it("never writes secrets, however deep they lie", () => {
    const facts = {
      password: "hunter2",
      keystore: { Passphrase: "hunter2", list: [{ private_key: "hunter2", publicKey: "0x12" }] },
      headers: { Authorization: "hunter2" },
      error: new CodedError("BAD", "no", { secretKey: "hunter2" }),
    };
    expect(JSON.stringify(entry(facts))).not.toContain("hunter2");
    expect(entry(facts)).toMatchObject({ password: "[redacted]", keystore: { list: [{ publicKey: "0x12" }] } });
  });

  it("takes whatever it is given, and never much of it", () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    const facts = {
      ...{ balance: 2n ** 100n, bytes: new Uint8Array([1, 2]), long: "x".repeat(1e6), many: new Array(1e5).fill(1) },
      ...{ large: new Uint8Array(1e6), loop, set: new Set([1]), map: new Map([["a", 1n]]), nothing: undefined },
      ...{ error: new Error("broken"), message: "mine", call: () => 1 },
    };
    const found = entry(facts);
    expect(found).toMatchObject({ balance: String(2n ** 100n), bytes: "0x0102", set: [1], map: { a: "1" } });
    expect(found).toMatchObject({ message: "said", "fact.message": "mine", error: { message: "broken" } });
    expect(JSON.stringify(found).length).toBeLessThan(10_000);
  });

  it("tells coded errors by code and facts", () => {
    const error = new CodedError("STORE_LOCKED", "in use", { directory: "here" });
    expect(entry({ error })).toMatchObject({ error: { code: "STORE_LOCKED", message: "in use", directory: "here" } });
    expect(entry({ error })["error"]).not.toHaveProperty("stack");
  });
});

describe("the log for people", () => {
  it("is one line with the facts behind the message", () => {
    const [line = ""] = logged(
      (say) => say("mempool").info({ count: 3, hash: "0xab", from: "a b", ok: true }, "taken"),
      {
        pretty: "plain",
      },
    );
    expect(line).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}mempool {4}taken {2}count=3 {2}hash=0xab {2}from="a b" {2}ok=true\n$/,
    );
  });

  it("shows no control characters of others", () => {
    const nasty = "a\nERROR forged\u001b[2J\u202e";
    const [line = ""] = logged((say) => say("node").info({ name: nasty, [nasty]: 1 }, nasty), { pretty: "plain" });
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it("has colours only when asked", () => {
    const say = (loggers: Loggers): void => loggers("node").error({}, "x");
    expect(logged(say, { pretty: "colour" })[0]).toContain("\u001b[31m");
    expect(logged(say, { pretty: "plain" })[0]).not.toContain("\u001b");
  });
});

describe("levels as text", () => {
  it("are one for all and others for parts", () => {
    expect(parseLogLevels("debug")).toEqual({ level: "debug", levels: {} });
    expect(parseLogLevels("sync=trace")).toEqual({ level: "info", levels: { sync: "trace" } });
    expect(parseLogLevels("warn, rpc = error")).toEqual({ level: "warn", levels: { rpc: "error" } });
  });

  it.each(["", "loud", "consensus", "foo=debug", "rpc=loud", "rpc=debug=info", "info,"])("refuse %j", (text) => {
    expect(() => parseLogLevels(text)).toThrow(expect.objectContaining({ code: "LOG_LEVELS_INVALID" }));
  });
});

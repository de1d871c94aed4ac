import { describe, expect, it } from "vitest";
import { type NodeOptions, nodeOptions } from "../../../cli/node/node-options.ts";
import { type NodeSettings, nodeSettings, specOf } from "../../../cli/node/node-settings.ts";
import { parseWords } from "../../../cli/parse.ts";
import { networkSpec } from "../../../genesis/networks.ts";

const PATH = "ogpu node";
const PEER = "12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN";

function optionsOf(words: readonly string[], env: Readonly<Record<string, string>> = {}): NodeOptions {
  const command = { name: "node", summary: "", options: nodeOptions, run: () => 0 as const };
  return parseWords(command, PATH, words).input((name) => env[name]).options as NodeOptions;
}

function settingsOf(...words: readonly string[]): NodeSettings {
  return nodeSettings(optionsOf(words), PATH, networkSpec("devnet"), undefined);
}

describe("the settings of a node", () => {
  it("are safe and complete when nothing is said", () => {
    expect(settingsOf()).toMatchObject({
      rpc: { host: "127.0.0.1", port: 8545 },
      listen: ["/ip4/0.0.0.0/tcp/30333"],
      log: { level: "info", levels: {}, json: false },
      ...{ dataDir: "./data/node", archive: false, mdns: false, checkpoint: undefined },
    });
  });

  it("have no RPC on request, and levels of the log per part", () => {
    const { rpc, log } = settingsOf("--no-rpc", "--log-level", "warn,consensus=debug");
    expect(rpc).toBeUndefined();
    expect(log).toMatchObject({ level: "warn", levels: { consensus: "debug" } });
  });

  it("fetch a snapshot where somebody can have one, and never for an archive", () => {
    const peer = ["--bootstrap", `/ip4/127.0.0.1/tcp/1/p2p/${PEER}`];
    expect(settingsOf().fromGenesis).toBe(true);
    expect(settingsOf(...peer).fromGenesis).toBe(false);
    expect(settingsOf("--mdns").fromGenesis).toBe(false);
    expect(settingsOf(...peer, "--archive").fromGenesis).toBe(true);
    expect(settingsOf(...peer, "--from-genesis").fromGenesis).toBe(true);
  });

  it("take several peers from the environment", () => {
    expect(optionsOf([], { OGPU_BOOTSTRAP: "/a,/b" }).bootstrap).toEqual(["/a", "/b"]);
  });

  it("name the levels when one is none", () => {
    const hint = expect.stringContaining("trace, debug, info, warn, error, silent");
    expect(() => settingsOf("--log-level", "loud")).toThrow(expect.objectContaining({ data: { hint } }));
  });

  it("listen where they are told, on IPv6 too", () => {
    expect(settingsOf("--listen", "/ip6/::/tcp/30333").listen).toEqual(["/ip6/::/tcp/30333"]);
  });

  it("read a checkpoint", () => {
    const hash = `0x${"5C".repeat(32)}`;
    expect(settingsOf("--checkpoint", `12:${hash}`).checkpoint).toEqual({ epoch: 12, hash: hash.toLowerCase() });
  });

  it("read the block to go on from", () => {
    const hash = `0x${"5C".repeat(32)}`;
    expect(settingsOf("--trust-block", hash).trustBlock).toBe(hash.toLowerCase());
  });

  it("share the memory among the parts of the store, within what was given", () => {
    const { limits } = settingsOf("--cache", "64");
    const bytes = (limits.cachedPageBytes ?? 0) + (limits.databaseCacheBytes ?? 0) + (limits.cachedCodeBytes ?? 0);
    const records = 300 * ((limits.cachedAccounts ?? 0) + (limits.cachedSlots ?? 0));
    expect(bytes + records).toBeLessThanOrEqual(64 * 1024 * 1024 * 1.02);
    expect(limits.cachedPageBytes).toBe(32 * 1024 * 1024);
  });

  it.each([
    [["--checkpoint", "12"], "--checkpoint 12: write epoch:hash"],
    [["--listen", "0.0.0.0:30333"], "--listen 0.0.0.0:30333: "],
    [["--listen", "/ip4/0.0.0.0/udp/1"], "it has to be an IP address and a TCP port"],
    [["--announce", "/unix/x"], "--announce /unix/x: "],
    [["--bootstrap", "/ip4/127.0.0.1/tcp/1"], "the peer's id"],
    [["--bootstrap", "/ip4/127.0.0.1/tcp/1/p2p/x"], "--bootstrap /ip4/127.0.0.1/tcp/1/p2p/x: "],
    [["--persistent-peer", "bob"], "--persistent-peer bob: bob is not a usable address"],
    [["--trust-block", "12:0x5c"], "--trust-block 12:0x5c: write the hash of a block"],
    [["--log-level", "loud"], '--log-level loud: "loud" says no level'],
    [["--listen", "/ip4/0.0.0.0/tcp/1", "--p2p-port", "2"], "--listen and --p2p-port both say where to listen"],
  ])("refuse %j", (words, message) => {
    expect(() => settingsOf(...words)).toThrow(message);
  });
});

describe("the network of a node", () => {
  it("is named, or has a spec of its own, but not both and not neither", async () => {
    expect((await specOf(optionsOf(["--network", "testnet"]), PATH)).name).toBe("testnet");
    expect((await specOf(optionsOf(["--spec", "mainnet"]), PATH)).name).toBe("mainnet");
    await expect(specOf(optionsOf(["--spec", "x", "--network", "devnet"]), PATH)).rejects.toThrow("both say which");
    await expect(specOf(optionsOf([]), PATH)).rejects.toThrow("which network?");
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { MAX_ADDRESSES_PER_PEER, MAX_SAVED_PEERS } from "../../../chain/network/limits.ts";
import { peerIdOf } from "../../../chain/network/peer-id-of.ts";
import { readPeers, writePeers } from "../../../chain/network/peers-file.ts";
import { keyOf } from "./support/nodes.ts";

const folder = mkdtempSync(join(tmpdir(), "ogpu-peers-"));
const file = join(folder, "peers.json");
const peer = await peerIdOf(keyOf("somebody"));
const addressAt = (port: number) => `/ip4/8.8.8.8/tcp/${port}/p2p/${peer}`;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the file of peers", () => {
  it("gives back what was written, and nothing where there is none", async () => {
    expect(await readPeers(join(folder, "missing"))).toEqual([]);
    const peers = [{ peer, addresses: [addressAt(1), addressAt(2)], lasted: 12_345 }];
    await writePeers(file, peers);
    expect(await readPeers(file)).toEqual(peers);
  });

  it("keeps a bounded number, those that lasted longest", async () => {
    const many = Array.from({ length: MAX_SAVED_PEERS + 10 }, (_, i) => {
      return { peer, addresses: [addressAt(i + 1)], lasted: i };
    });
    await writePeers(file, many);
    const read = await readPeers(file);
    expect(read).toHaveLength(MAX_SAVED_PEERS);
    expect(read[0]?.lasted).toBe(MAX_SAVED_PEERS + 9);
  });

  it.each([
    ["no JSON", "{"],
    ["another version", JSON.stringify({ version: 2, peers: [] })],
    ["no list", JSON.stringify({ version: 1, peers: 7 })],
    ["entries that are none", JSON.stringify({ version: 1, peers: [null, 7, [], { peer }, { peer, addresses: "x" }] })],
    [
      "times that are none",
      JSON.stringify({ version: 1, peers: [{ peer, addresses: [`/ip4/8.8.8.8/tcp/1/p2p/${peer}`], lasted: -1 }] }),
    ],
    [
      "addresses of somebody else, and names",
      JSON.stringify({
        version: 1,
        peers: [{ peer: "12D3KooWother", addresses: [addressAt(1), `/dns4/x.org/tcp/1/p2p/${peer}`], lasted: 1 }],
      }),
    ],
  ])("with %s is one without peers", async (_, text) => {
    writeFileSync(file, text);
    expect(await readPeers(file)).toEqual([]);
  });

  it("with too many addresses is read as far as they count", async () => {
    const addresses = Array.from({ length: 20 }, (_, i) => addressAt(i + 1));
    writeFileSync(file, JSON.stringify({ version: 1, peers: [{ peer, addresses, lasted: 1 }] }));
    expect((await readPeers(file))[0]?.addresses).toHaveLength(MAX_ADDRESSES_PER_PEER);
  });

  it("that is enormous is not read", async () => {
    writeFileSync(file, " ".repeat(2_000_000));
    expect(await readPeers(file)).toEqual([]);
    expect(readFileSync(file)).toHaveLength(2_000_000);
  });
});

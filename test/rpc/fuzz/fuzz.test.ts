import { afterAll, beforeAll, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { ALICE, BOB } from "../../chain/runtime/support/single-node.ts";
import { HostedNode } from "../support/hosted-node.ts";
import { FUZZ_PROPERTIES, untilSettled } from "./properties.ts";

/** `npm run soak -- --rpc` runs for as long as wanted. */
const RUNS = 25;

let hosted: HostedNode;
let hashes: readonly Hex[];

beforeAll(async () => {
  hosted = await HostedNode.open({ archive: true });
  const transaction = await hosted.include(hosted.alone.sign(ALICE, { value: 1n }));
  const block = await hosted.call<{ readonly hash: Hex }>("eth_getBlockByNumber", "latest", false);
  hashes = [transaction, block.hash, bytesToHex(new Uint8Array(32))];
});

afterAll(() => hosted.close());

it.each(FUZZ_PROPERTIES.map((property) => [property.name, property] as const))(
  "%s; blocks are made, and nothing is left over",
  async (_name, { share, run }) => {
    const before = hosted.node.head.number;
    const facts = { hashes, addresses: [ALICE.address, BOB.address] };
    await run({ url: hosted.host.url, facts }, { numRuns: RUNS * share });
    expect(await hosted.makeBlock()).toBe(before + 1);
    await untilSettled(hosted.host.url);
    expect(hosted.log).toEqual([]);
  },
  300_000,
);

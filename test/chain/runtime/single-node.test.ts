import { afterEach, beforeEach, expect, it } from "vitest";
import { createAddress } from "../../../base/address.ts";
import { bytesToHex, hexToBytes } from "../../../base/bytes.ts";
import { GWEI, OGPU } from "../../../base/units.ts";
import { headerTime } from "../../../chain/blocks/header.ts";
import type { Node } from "../../../chain/runtime/node.ts";
import { ALICE, BOB, COINBASE, SingleNode, STRANGER } from "./support/single-node.ts";

let fixture: SingleNode;
let node: Node;

beforeEach(async () => {
  fixture = new SingleNode();
  node = await fixture.open();
});

afterEach(async () => {
  await fixture.close();
  fixture.remove();
  expect(fixture.failures).toEqual([]);
});

function balance(address: `0x${string}`): bigint {
  return node.stateAt(node.head.number).account(address)?.balance ?? 0n;
}

/** Lets everything happen that needs no time to pass. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function refusalOf(raw: Uint8Array): Promise<string> {
  return node.submit(raw).then(
    () => "taken",
    (error: { code: string }) => error.code,
  );
}

it("starts with the genesis block, and makes none while nothing waits before the heartbeat", async () => {
  expect(node.head.number).toBe(0);
  fixture.clock.advance(fixture.spec.consensus.heartbeatMilliseconds - 1_000);
  await settle();
  expect(node.head.number).toBe(0);
  fixture.clock.advance(1_000);
  expect((await fixture.nextBlock(node)).number).toBe(1);
});

it("puts a transfer into a block, pays the fees and keeps the receipt", async () => {
  const hash = await node.submit(fixture.sign(ALICE));
  expect(node.locate(hash)).toBeUndefined();
  expect(node.waiting(bytesToHex(hash))?.sender).toBe(ALICE.address);
  const block = await fixture.nextBlock(node);
  expect(block.number).toBe(1);
  expect(node.locate(hash)).toEqual({ number: 1, index: 0 });
  expect(node.waiting(bytesToHex(hash))).toBeUndefined();
  const [receipt] = node.receipts(1) ?? [];
  expect(receipt).toMatchObject({ succeeded: true, gasUsed: 21_000n });
  const fee = 21_000n * (receipt?.effectiveGasPrice ?? 0n);
  expect(balance(ALICE.address)).toBe(999n * OGPU - fee);
  expect(balance(BOB.address)).toBe(1001n * OGPU);
  expect(balance(COINBASE)).toBe(21_000n * GWEI);
});

it("makes blocks no faster than the interval", async () => {
  const { intervalMilliseconds } = fixture.spec.block;
  await node.submit(fixture.sign(ALICE));
  const first = await fixture.nextBlock(node);
  await node.submit(fixture.sign(ALICE, { nonce: 1n }));
  const second = await fixture.nextBlock(node);
  expect(headerTime(second.header) - headerTime(first.header)).toBe(intervalMilliseconds);
});

it("holds a nonce that is ahead until the ones before it are there", async () => {
  await node.submit(fixture.sign(ALICE, { nonce: 1n }));
  fixture.clock.advance(5_000);
  await settle();
  expect(node.head.number).toBe(0);
  expect(node.nextNonce(ALICE.address)).toBe(0n);
  await node.submit(fixture.sign(ALICE, { nonce: 0n }));
  expect(node.nextNonce(ALICE.address)).toBe(2n);
  await fixture.nextBlock(node);
  expect(node.body(1)?.transactions).toHaveLength(2);
  expect(node.nextNonce(ALICE.address)).toBe(2n);
});

it.each([
  ["TX_MALFORMED", () => new Uint8Array([0xc0])],
  ["TX_TYPE_UNSUPPORTED", () => new Uint8Array([3, 0xc0])],
  ["TX_WRONG_CHAIN", () => fixture.sign(ALICE, { chainId: 1n })],
  ["TX_UNPROTECTED", () => fixture.sign(ALICE, { type: 0, chainId: undefined, maxPriorityFeePerGas: 3n * GWEI })],
  ["TX_INTRINSIC_GAS_TOO_LOW", () => fixture.sign(ALICE, { gasLimit: 20_999n })],
  ["TX_GAS_LIMIT_ABOVE_CAP", () => fixture.sign(ALICE, { gasLimit: 1n << 25n })],
  ["TX_FEE_BELOW_BASE_FEE", () => fixture.sign(ALICE, { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n })],
  ["TX_INSUFFICIENT_FUNDS", () => fixture.sign(STRANGER)],
  ["TX_INSUFFICIENT_FUNDS", () => fixture.sign(STRANGER, { nonce: 5n })],
  ["MEMPOOL_NONCE_TOO_FAR", () => fixture.sign(ALICE, { nonce: 10_000n })],
])("refuses a bad transaction with %s, and nothing waits", async (code, raw) => {
  expect(await refusalOf(raw())).toBe(code);
  expect(node.mempool.size).toBe(0);
});

it("refuses what is waiting already, and what a block has already", async () => {
  const raw = fixture.sign(ALICE);
  await node.submit(raw);
  expect(await refusalOf(raw)).toBe("MEMPOOL_KNOWN");
  expect(await refusalOf(fixture.sign(ALICE, { value: 2n }))).toBe("MEMPOOL_UNDERPRICED");
  await fixture.nextBlock(node);
  expect(await refusalOf(raw)).toBe("TX_NONCE_TOO_LOW");
});

it("lets a sender replace a transaction that waits, by offering more", async () => {
  const first = await node.submit(fixture.sign(ALICE));
  const second = await node.submit(fixture.sign(ALICE, { maxFeePerGas: 6n * GWEI, maxPriorityFeePerGas: 2n * GWEI }));
  await fixture.nextBlock(node);
  expect(node.locate(first)).toBeUndefined();
  expect(node.locate(second)).toEqual({ number: 1, index: 0 });
});

it("fills a block up to its gas limit and carries the rest over", async () => {
  // JUMPDEST, PUSH1 0, JUMP: takes all the gas it gets.
  const data = hexToBytes("0x5b600056");
  const gasLimit = 16_000_000n;
  for (const nonce of [0n, 1n, 2n]) {
    await node.submit(fixture.sign(ALICE, { nonce, to: undefined, value: 0n, data, gasLimit }));
  }
  await fixture.nextBlock(node);
  expect(node.body(1)?.transactions).toHaveLength(1);
  await fixture.nextBlock(node);
  await fixture.nextBlock(node);
  expect(node.head.number).toBe(3);
  expect(node.nextNonce(ALICE.address)).toBe(3n);
});

it("creates contracts and keeps their address in the receipt", async () => {
  // Returns the one byte 0x00 as code: PUSH1 1, PUSH1 0, RETURN.
  await node.submit(
    fixture.sign(ALICE, { to: undefined, value: 0n, data: hexToBytes("0x60016000f3"), gasLimit: 100_000n }),
  );
  await fixture.nextBlock(node);
  const created = bytesToHex(createAddress(hexToBytes(ALICE.address), 0n));
  expect(node.receipts(1)?.[0]?.createdAddress).toBe(created);
  expect(node.stateAt(1).account(created)?.nonce).toBe(1n);
});

it("goes on where it stopped, with what waited when it stopped", async () => {
  await node.submit(fixture.sign(ALICE));
  await fixture.nextBlock(node);
  const waiting = await node.submit(fixture.sign(ALICE, { nonce: 1n }));
  await fixture.close();
  expect(await refusalOf(fixture.sign(ALICE, { nonce: 2n }))).toBe("NODE_STOPPING");
  node = await fixture.open();
  expect(node.head.number).toBe(1);
  expect(node.waiting(bytesToHex(waiting))?.sender).toBe(ALICE.address);
  await fixture.nextBlock(node);
  expect(node.locate(waiting)).toEqual({ number: 2, index: 0 });
});

it("does not stand still when the clock was set back", async () => {
  await node.submit(fixture.sign(ALICE));
  const first = await fixture.nextBlock(node);
  await settle();
  fixture.clock.advance(-3_600_000);
  await node.submit(fixture.sign(ALICE, { nonce: 1n }));
  const second = await fixture.nextBlock(node);
  expect(headerTime(second.header)).toBe(headerTime(first.header));
});

it("refuses the folder of another chain, and a folder in use", async () => {
  await expect(fixture.open()).rejects.toMatchObject({ code: "STORE_LOCKED" });
  await fixture.close();
  const other = { ...fixture.spec, chainId: 777_999n };
  await expect(fixture.open({ spec: other })).rejects.toMatchObject({ code: "STORE_WRONG_CHAIN" });
  node = await fixture.open();
});

it("leaves no timer when it is stopped while the journal is read", async () => {
  await node.stop();
  const starting = node.start(undefined, [fixture.sign(ALICE)]);
  await Promise.all([node.stop(), starting]);
  expect(fixture.clock.timersSet).toBe(0);
});

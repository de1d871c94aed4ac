import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAddress } from "../../../base/address.ts";
import { bytesToHex, hexToBytes } from "../../../base/bytes.ts";
import { GWEI, OGPU } from "../../../base/units.ts";
import { headerTime } from "../../../chain/blocks/header.ts";
import type { SoloChain } from "../../../chain/solo/solo-chain.ts";
import { codeOf } from "../../base/support/code-of.ts";
import { ALICE, BOB, COINBASE, SoloFixture, STRANGER } from "./support/solo-fixture.ts";

let fixture: SoloFixture;
let chain: SoloChain;

beforeEach(async () => {
  fixture = new SoloFixture();
  chain = await fixture.open();
});

afterEach(async () => {
  await chain.close();
  fixture.remove();
});

function balance(address: `0x${string}`): bigint {
  return chain.stateAt(chain.head.number).account(address)?.balance ?? 0n;
}

describe("SoloChain", () => {
  it("starts with the genesis block and makes no block while nothing waits", () => {
    expect(chain.head.number).toBe(0);
    expect(fixture.clock.timersSet).toBe(0);
    fixture.clock.advance(1_000_000);
    expect(chain.head.number).toBe(0);
  });

  it("puts a transfer into a block, pays the fees and keeps the receipt", async () => {
    const hash = chain.submit(fixture.sign(ALICE));
    expect(chain.locate(hash)).toBeUndefined();
    expect(chain.waiting(bytesToHex(hash))?.sender).toBe(ALICE.address);
    const block = await fixture.nextBlock(chain);
    expect(block.number).toBe(1);
    expect(chain.locate(hash)).toEqual({ number: 1, index: 0 });
    expect(chain.waiting(bytesToHex(hash))).toBeUndefined();
    const [receipt] = chain.receipts(1) ?? [];
    expect(receipt).toMatchObject({ succeeded: true, gasUsed: 21_000n });
    const fee = 21_000n * (receipt?.effectiveGasPrice ?? 0n);
    expect(balance(ALICE.address)).toBe(999n * OGPU - fee);
    expect(balance(BOB.address)).toBe(1001n * OGPU);
    expect(balance(COINBASE)).toBe(21_000n * GWEI + OGPU / 20n);
  });

  it("makes blocks no faster than the interval, and stops when nothing waits any more", async () => {
    const { intervalMilliseconds } = fixture.spec.block;
    chain.submit(fixture.sign(ALICE));
    expect(fixture.clock.nextTimer).toBe(0);
    const first = await fixture.nextBlock(chain);
    chain.submit(fixture.sign(ALICE, { nonce: 1n }));
    expect(fixture.clock.nextTimer).toBe(intervalMilliseconds);
    const second = await fixture.nextBlock(chain);
    expect(headerTime(second.header) - headerTime(first.header)).toBe(intervalMilliseconds);
    expect(fixture.clock.timersSet).toBe(0);
  });

  it("holds a nonce that is ahead until the ones before it are there", async () => {
    chain.submit(fixture.sign(ALICE, { nonce: 1n }));
    fixture.clock.advance(5_000);
    expect(chain.head.number).toBe(0);
    expect(chain.nextNonce(ALICE.address)).toBe(0n);
    chain.submit(fixture.sign(ALICE, { nonce: 0n }));
    expect(chain.nextNonce(ALICE.address)).toBe(2n);
    await fixture.nextBlock(chain);
    expect(chain.body(1)?.transactions).toHaveLength(2);
    expect(chain.nextNonce(ALICE.address)).toBe(2n);
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
    ["PENDING_NONCE_TOO_FAR", () => fixture.sign(ALICE, { nonce: 10_000n })],
  ])("refuses a bad transaction with %s, and nothing waits", (code, raw) => {
    expect(codeOf(() => chain.submit(raw()))).toBe(code);
    expect(fixture.clock.timersSet).toBe(0);
  });

  it("refuses what is waiting already, and what a block has already", async () => {
    const raw = fixture.sign(ALICE);
    chain.submit(raw);
    expect(codeOf(() => chain.submit(raw))).toBe("PENDING_KNOWN");
    expect(codeOf(() => chain.submit(fixture.sign(ALICE, { value: 2n })))).toBe("PENDING_NONCE_TAKEN");
    await fixture.nextBlock(chain);
    expect(codeOf(() => chain.submit(raw))).toBe("TX_NONCE_TOO_LOW");
  });

  it("lets a sender replace a transaction that waits, by offering more", async () => {
    const first = chain.submit(fixture.sign(ALICE));
    const second = chain.submit(fixture.sign(ALICE, { maxFeePerGas: 6n * GWEI, maxPriorityFeePerGas: 2n * GWEI }));
    await fixture.nextBlock(chain);
    expect(chain.locate(first)).toBeUndefined();
    expect(chain.locate(second)).toEqual({ number: 1, index: 0 });
  });

  it("forgets a replacement that came while a block with the first one was under way", async () => {
    const first = chain.submit(fixture.sign(ALICE));
    const block = fixture.nextBlock(chain);
    // The timer has run, so the block is being made.
    const second = chain.submit(fixture.sign(ALICE, { maxFeePerGas: 6n * GWEI, maxPriorityFeePerGas: 2n * GWEI }));
    await block;
    expect(chain.locate(first)).toEqual({ number: 1, index: 0 });
    expect(chain.waiting(bytesToHex(second))).toBeUndefined();
    expect(chain.nextNonce(ALICE.address)).toBe(1n);
  });

  it("drops a transaction whose money was spent by the one before it, without a block of its own", async () => {
    chain.submit(fixture.sign(ALICE, { value: 999n * OGPU }));
    const second = chain.submit(fixture.sign(ALICE, { nonce: 1n, value: 999n * OGPU }));
    await fixture.nextBlock(chain);
    expect(chain.body(1)?.transactions).toHaveLength(1);
    expect(chain.waiting(bytesToHex(second))).toBeUndefined();
    expect(fixture.clock.timersSet).toBe(0);
  });

  it("fills a block up to its gas limit and carries the rest over", async () => {
    // JUMPDEST, PUSH1 0, JUMP: takes all the gas it gets.
    const data = hexToBytes("0x5b600056");
    const gasLimit = 16_000_000n;
    for (const nonce of [0n, 1n, 2n])
      chain.submit(fixture.sign(ALICE, { nonce, to: undefined, value: 0n, data, gasLimit }));
    await fixture.nextBlock(chain);
    expect(chain.body(1)?.transactions).toHaveLength(1);
    await fixture.nextBlock(chain);
    await fixture.nextBlock(chain);
    expect(chain.head.number).toBe(3);
    expect(chain.nextNonce(ALICE.address)).toBe(3n);
  });

  it("makes empty blocks while a transaction waits for the base fee to fall", async () => {
    const data = hexToBytes("0x5b600056");
    chain.submit(fixture.sign(ALICE, { to: undefined, value: 0n, data, gasLimit: 16_777_216n }));
    // Offers just the base fee of block 1, which is full enough for block 2 to ask for more.
    chain.submit(fixture.sign(BOB, { maxFeePerGas: 875_000_000n, maxPriorityFeePerGas: 0n, gasLimit: 16_000_000n }));
    await fixture.nextBlock(chain);
    expect(chain.head.header.gasUsed).toBe(16_777_216n);
    const second = await fixture.nextBlock(chain);
    expect(second.header.baseFeePerGas).toBeGreaterThan(875_000_000n);
    expect(chain.body(2)?.transactions).toHaveLength(0);
    await fixture.nextBlock(chain);
    expect(chain.body(3)?.transactions).toHaveLength(1);
    expect(fixture.clock.timersSet).toBe(0);
  });

  it("creates contracts and keeps their address in the receipt", async () => {
    // Returns the one byte 0x00 as code: PUSH1 1, PUSH1 0, RETURN.
    chain.submit(
      fixture.sign(ALICE, { to: undefined, value: 0n, data: hexToBytes("0x60016000f3"), gasLimit: 100_000n }),
    );
    await fixture.nextBlock(chain);
    const created = bytesToHex(createAddress(hexToBytes(ALICE.address), 0n));
    expect(chain.receipts(1)?.[0]?.createdAddress).toBe(created);
    expect(chain.stateAt(1).account(created)?.nonce).toBe(1n);
  });

  it("goes on where it stopped, and keeps what was waiting when it closes in order", async () => {
    chain.submit(fixture.sign(ALICE));
    await fixture.nextBlock(chain);
    const waiting = chain.submit(fixture.sign(ALICE, { nonce: 1n }));
    await chain.close();
    expect(codeOf(() => chain.submit(fixture.sign(ALICE, { nonce: 2n })))).toBe("SOLO_STOPPED");
    chain = await fixture.open();
    expect(chain.head.number).toBe(2);
    expect(chain.locate(waiting)).toEqual({ number: 2, index: 0 });
    chain.submit(fixture.sign(ALICE, { nonce: 2n }));
    expect((await fixture.nextBlock(chain)).number).toBe(3);
  });

  it("does not stand still when the clock was set back", async () => {
    chain.submit(fixture.sign(ALICE));
    const first = await fixture.nextBlock(chain);
    fixture.clock.advance(-3_600_000);
    chain.submit(fixture.sign(ALICE, { nonce: 1n }));
    expect(fixture.clock.nextTimer).toBeLessThanOrEqual(fixture.spec.block.intervalMilliseconds);
    const second = await fixture.nextBlock(chain);
    expect(headerTime(second.header)).toBe(headerTime(first.header));
  });

  it("refuses the folder of another chain, and a folder in use", async () => {
    await expect(fixture.open()).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await chain.close();
    const other = { ...fixture.spec, chainId: 777_999n };
    await expect(fixture.open({ spec: other })).rejects.toMatchObject({ code: "STORE_WRONG_CHAIN" });
    chain = await fixture.open();
  });
});

import { afterAll, beforeAll, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { BlockSignal } from "../../../cli/agent/block-signal.ts";
import { GIVE_UP_MILLISECONDS } from "../../../cli/agent/limits.ts";
import { systemClock } from "../../../cli/agent/system-clock.ts";
import { TransactionQueue } from "../../../cli/agent/transaction-queue.ts";
import { ALICE } from "../../chain/runtime/support/single-node.ts";
import { initCode } from "../../rpc/support/driven-chain.ts";
import { HostedNode } from "../../rpc/support/hosted-node.ts";

let hosted: HostedNode;
let blocks: BlockSignal;
beforeAll(async () => {
  hosted = await HostedNode.open();
  blocks = new BlockSignal(hosted.host.url);
});
afterAll(async () => {
  blocks.close();
  await hosted.close();
});

/** A contract that reverts up to and in block `last`: PUSH2, NUMBER, GT, JUMPI over the revert, STOP. */
async function closedUntilAfter(last: number): Promise<Hex> {
  const runtime = `61${last.toString(16).padStart(4, "0")}4311600b575f5ffd5b00`;
  const { alone, node } = hosted;
  const nonce = node.nextNonce(ALICE.address);
  const hash = await hosted.include(
    alone.sign(ALICE, { nonce, to: undefined, data: initCode(runtime), gasLimit: 200_000n }),
  );
  return (await hosted.call<{ contractAddress: Hex }>("eth_getTransactionReceipt", hash)).contractAddress;
}

it("sends what the next block allows and the last one did not, when no other block would come", async () => {
  const queue = new TransactionQueue(hosted.host.url, ALICE.key, blocks, systemClock);
  const head = hosted.node.head.number + 1;
  const to = await closedUntilAfter(head);
  expect(hosted.node.head.number).toBe(head);
  const nonce = hosted.node.nextNonce(ALICE.address);
  const sent = queue.send({ to, value: 0n, data: new Uint8Array() });
  while (hosted.node.nextNonce(ALICE.address) === nonce) await new Promise((resolve) => setTimeout(resolve, 5));
  await hosted.nextBlock();
  expect(await sent).toMatchObject({ kind: "done" });
});

it("does not send what the next block would refuse", async () => {
  const queue = new TransactionQueue(hosted.host.url, ALICE.key, blocks, systemClock);
  const to = await closedUntilAfter(hosted.node.head.number + 2);
  const nonce = hosted.node.nextNonce(ALICE.address);
  expect(await queue.send({ to, value: 0n, data: new Uint8Array() })).toMatchObject({ kind: "reverted", data: "0x" });
  expect(hosted.node.nextNonce(ALICE.address)).toBe(nonce);
});

it("goes on after a transaction that the node has lost and nobody waits for any more", async () => {
  let later = 0;
  const clock = { ...systemClock, now: () => Date.now() + later };
  const queue = new TransactionQueue(hosted.host.url, ALICE.key, blocks, clock);
  const { mempool } = hosted.node;
  const nonce = hosted.node.nextNonce(ALICE.address);
  const lost = queue.send({ to: ALICE.address, value: 1n, data: new Uint8Array() });
  lost.catch(() => undefined);
  while (hosted.node.nextNonce(ALICE.address) === nonce) await new Promise((resolve) => setTimeout(resolve, 5));
  for (const { transaction } of [...mempool.entries()]) mempool.remove(bytesToHex(transaction.hash));
  // It waits for a block by now, and then for much longer than it does.
  await new Promise((resolve) => setTimeout(resolve, 500));
  later = GIVE_UP_MILLISECONDS;
  await expect(lost).rejects.toMatchObject({ code: "TX_UNCERTAIN" });
  const next = queue.send({ to: ALICE.address, value: 2n, data: new Uint8Array() });
  while (hosted.node.nextNonce(ALICE.address) === nonce) await new Promise((resolve) => setTimeout(resolve, 5));
  await hosted.nextBlock();
  expect(await next).toMatchObject({ kind: "done" });
});

import { expect, it } from "vitest";
import { noMeter } from "../../../chain/runtime/node-meter.ts";
import type { NodeNetwork, Peer } from "../../../chain/runtime/node-network.ts";
import { ALICE, SingleNode } from "./support/single-node.ts";

function networkOf(peers: readonly Peer[]): NodeNetwork {
  const ignore = (): undefined => undefined;
  return {
    peers: () => peers,
    send: () => false,
    broadcast: ignore,
    publishTransactions: ignore,
    publishFinalBlock: ignore,
    publishProgress: ignore,
    penalise: ignore,
    stop: () => Promise.resolve(),
  };
}

it("a node tells its height when it opens, and the time to finality only of blocks that are not caught up with", async () => {
  const fixture = new SingleNode();
  try {
    const first = await fixture.open();
    await first.submit(fixture.sign(ALICE));
    const { number } = await fixture.nextBlock(first);
    await fixture.close();

    const opened: number[] = [];
    const times: number[] = [];
    const peers = [{ peer: "ahead", height: 1_000 }] as unknown as Peer[];
    const meter = {
      ...noMeter,
      opened: (height: number) => opened.push(height),
      finality: (time: number) => times.push(time),
    };
    const node = await fixture.open({ meter, connect: () => Promise.resolve(networkOf(peers)), catchUp: false });
    expect(opened).toEqual([number]);
    const make = async (nonce: bigint): Promise<void> => {
      await node.submit(fixture.sign(ALICE, { nonce }));
      await fixture.nextBlock(node);
      await new Promise((resolve) => setImmediate(resolve));
    };
    await make(1n);
    expect(times).toEqual([]);
    peers.pop();
    await make(2n);
    expect(times).toHaveLength(1);
  } finally {
    await fixture.close();
    fixture.remove();
  }
});

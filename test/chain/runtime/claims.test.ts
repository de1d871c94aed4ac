import { expect, it, vi } from "vitest";
import type { NodeNetwork } from "../../../chain/runtime/node-network.ts";
import { type ClaimedTransaction, claimOf } from "../../../chain/senders/claim.ts";
import { SenderPool } from "../../../chain/senders/sender-pool.ts";
import { ALICE, SingleNode } from "./support/single-node.ts";

it("says who sent what it hands on, and tells its threads what others say", async () => {
  const fixture = new SingleNode();
  const recover = vi.spyOn(SenderPool.prototype, "recover");
  const published: ClaimedTransaction[] = [];
  const ignore = (): undefined => undefined;
  const network: NodeNetwork = {
    peers: () => [],
    send: () => false,
    broadcast: ignore,
    publishTransactions: (transactions) => void published.push(...transactions),
    publishFinalBlock: ignore,
    publishProgress: ignore,
    penalise: ignore,
    stop: () => Promise.resolve(),
  };
  try {
    const node = await fixture.open({ connect: () => Promise.resolve(network), catchUp: false });
    const [own, others, claim] = [fixture.sign(ALICE), fixture.sign(ALICE, { nonce: 1n }), claimOf(ALICE.address)];
    await node.submit(own);
    expect(published).toEqual([{ raw: own, claim }]);
    expect(recover).toHaveBeenLastCalledWith([own], undefined);
    expect(await node.receiveTransactions([{ raw: others, claim }], "peer")).toBe("accept");
    expect(recover).toHaveBeenLastCalledWith([others], [claim]);
  } finally {
    recover.mockRestore();
    await fixture.close();
    fixture.remove();
  }
});

/** A chain that nobody sends anything to makes a block when the protocol has something to do, and rests otherwise. */
import { encodeFunctionData } from "viem";
import { afterEach, describe, expect, it } from "vitest";
import { hexToBytes } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { headerTime } from "../../../chain/blocks/header.ts";
import type { Node } from "../../../chain/runtime/node.ts";
import { ProtocolWork, protocolWorkDue } from "../../../chain/runtime/protocol-work.ts";
import { governanceAbi } from "../../../vm/interfaces/abi/governance.ts";
import { GOVERNANCE_ADDRESS, TOKEN_ADDRESS } from "../../../vm/modules/addresses.ts";
import { cancel, type Due, schedule } from "../../../vm/modules/agenda/schedule.ts";
import { ModuleCall } from "../../../vm/modules/module-call.ts";
import { MemoryState } from "../../../vm/state/memory-state.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { ALICE, SingleNode, singleSpec } from "./support/single-node.ts";

let fixture: SingleNode | undefined;

afterEach(async () => {
  await fixture?.close();
  fixture?.remove();
  expect(fixture?.failures ?? []).toEqual([]);
  fixture = undefined;
});

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Votes are counted after 20 seconds; what is accepted waits for 10 more. */
async function withProposal(): Promise<{ readonly node: Node; readonly proposedAt: number }> {
  const spec = singleSpec();
  const governance = { ...spec.modules.governance, deposit: OGPU, votingSeconds: 20n, timelockSeconds: 10n };
  fixture = new SingleNode({ ...spec, modules: { ...spec.modules, governance } });
  const node = await fixture.open();
  const data = encodeFunctionData({ abi: governanceAbi, functionName: "proposeText", args: ["a title", "a body"] });
  const fields = { to: GOVERNANCE_ADDRESS, value: OGPU, gasLimit: 2_000_000n, data: hexToBytes(data) };
  await node.submit(fixture.sign(ALICE, fields));
  const { header } = await fixture.nextBlock(node);
  expect(node.receipts(1)?.[0]?.succeeded).toBe(true);
  return { node, proposedAt: headerTime(header) };
}

describe("a chain at rest", () => {
  it("makes a block at the time of a deadline, and none before or after it", async () => {
    const { node, proposedAt } = await withProposal();
    const clock = fixture?.clock as ManualClock;
    // The block that comes while the first one is not final yet.
    await settle();
    const { number } = node.head;
    clock.advance(proposedAt + 20_000 - 1 - clock.now());
    await settle();
    expect([node.consensus.work, node.head.number]).toEqual([false, number]);
    const made = new Promise((resolve) => node.onBlock(resolve));
    clock.advance(1);
    await made;
    expect(headerTime(node.head.header)).toBe(proposedAt + 20_000);
    // Nobody voted: the proposal is decided, and nothing is left to do.
    expect(protocolWorkDue(node.stateAt(node.head.number))).toBeUndefined();
    await settle();
    clock.advance(15_000);
    await settle();
    expect([node.consensus.work, node.head.number]).toEqual([false, number + 1]);
  });
});

describe("the node's look at the agenda", () => {
  const entry = { module: TOKEN_ADDRESS, kind: 1, id: 7n };

  function stateWith(due: Due | undefined): WorkingState {
    const state = new WorkingState(new MemoryState());
    const call = ModuleCall.ofProtocol({ address: TOKEN_ADDRESS }, state, {} as never);
    if (due === undefined) cancel(call, entry);
    else schedule(call, due, entry);
    return state;
  }

  it("is due at once while something waits for a block, and at its time otherwise", () => {
    const clock = new ManualClock(50_000);
    let woken = 0;
    const work = new ProtocolWork(clock, 10_000, () => woken++);
    work.look(stateWith({ block: 900n }));
    expect([work.isDue, clock.timersSet]).toEqual([true, 0]);
    work.look(stateWith({ time: 55n }));
    expect([work.isDue, clock.nextTimer]).toEqual([false, 5_000]);
    clock.advance(5_000);
    expect([work.isDue, woken]).toEqual([true, 1]);
    work.look(stateWith(undefined));
    expect([work.isDue, clock.timersSet]).toEqual([false, 0]);
  });

  it("sets no timer for what is further off than the heartbeat, and one at most", () => {
    const clock = new ManualClock(50_000);
    const work = new ProtocolWork(clock, 10_000, () => undefined);
    work.look(stateWith({ time: 31_536_000n }));
    expect([work.isDue, clock.timersSet]).toEqual([false, 0]);
    work.look(stateWith({ time: 55n }));
    work.look(stateWith({ time: 56n }));
    expect(clock.timersSet).toBe(1);
    work.stop();
    expect(clock.timersSet).toBe(0);
  });
});

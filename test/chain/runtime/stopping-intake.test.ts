import { expect, it } from "vitest";
import { CodedError } from "../../../base/errors.ts";
import { Mempool } from "../../../chain/mempool/mempool.ts";
import { TransactionIntake } from "../../../chain/runtime/intake.ts";
import type { RecoveryResult } from "../../../chain/senders/sender-pool.ts";
import { rulesOfSpec } from "../../../vm/rules-of-spec.ts";
import { clusterSpec } from "./support/cluster.ts";

const spec = clusterSpec(1);

/** An intake whose threads fail when the test says so. */
function failing() {
  let fail: (error: unknown) => void = () => undefined;
  const unused = (): never => expect.fail("nothing is taken in");
  const intake = new TransactionIntake({
    mempool: new Mempool(),
    rules: rulesOfSpec(spec),
    gasLimit: spec.block.gasLimit,
    state: unused,
    baseFee: () => 0n,
    now: () => 0,
    recover: () =>
      new Promise<readonly RecoveryResult[]>((_, reject) => {
        fail = reject;
      }),
    isRecovered: () => false,
    onWaste: unused,
    journal: unused,
    publish: unused,
    onAdded: unused,
    onFailure: unused,
  });
  return { intake, fail: (error: unknown) => fail(error) };
}

it("blames no peer for transactions that came when the node was stopping", async () => {
  const { intake, fail } = failing();
  const judgement = intake.receive([{ raw: new Uint8Array([2]) }], "peer");
  await intake.close();
  fail(new CodedError("SENDERS_CLOSED", "the threads have ended"));
  expect(await judgement).toBe("ignore");
});

it("does not hide a fault of its own while it runs", async () => {
  const { intake, fail } = failing();
  const judgement = intake.receive([{ raw: new Uint8Array([2]) }], "peer");
  const fault = new Error("a thread died");
  fail(fault);
  await expect(judgement).rejects.toBe(fault);
});

import { expect, it } from "vitest";
import { GWEI, OGPU } from "../../../base/units.ts";
import { Mempool } from "../../../chain/mempool/mempool.ts";
import { type IntakeOptions, TransactionIntake } from "../../../chain/runtime/intake.ts";
import { MAX_INTAKE_TRANSACTIONS } from "../../../chain/runtime/limits.ts";
import { SenderPool } from "../../../chain/senders/sender-pool.ts";
import { rulesOfSpec } from "../../../vm/rules-of-spec.ts";
import { EMPTY_ACCOUNT } from "../../../vm/state/account.ts";
import type { StateReader } from "../../../vm/state/reader.ts";
import { signTransaction } from "../../../vm/transaction/sign.ts";
import { ALICE, BOB, singleSpec } from "./support/single-node.ts";

const spec = singleSpec();
const senders = new SenderPool({ inline: Number.POSITIVE_INFINITY });
const everybodyIsRich = {
  account: () => ({ ...EMPTY_ACCOUNT, balance: 1000n * OGPU }),
  code: () => undefined,
  slot: () => 0n,
} as unknown as StateReader;

function transfer(nonce: number): Uint8Array {
  return signTransaction(
    {
      ...{ type: 2, chainId: spec.chainId, nonce: BigInt(nonce), gasLimit: 21_000n, to: BOB.address, value: 1n },
      ...{ maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI, data: new Uint8Array(0), accessList: [] },
    },
    ALICE.key,
  );
}

function intake(changes: Partial<IntakeOptions> = {}): { intake: TransactionIntake; mempool: Mempool } {
  const mempool = new Mempool();
  const options: IntakeOptions = {
    ...{ mempool, rules: rulesOfSpec(spec), gasLimit: spec.block.gasLimit },
    ...{ state: () => everybodyIsRich, baseFee: () => 1n, now: () => 0 },
    recover: (raws) => senders.recover(raws),
    journal: async () => undefined,
    publish: () => undefined,
    onAdded: () => undefined,
    ...changes,
  };
  return { intake: new TransactionIntake(options), mempool };
}

it("takes all back from the journal, also when the first nonce stands last because it was replaced", async () => {
  const { intake: taking, mempool } = intake();
  const nonces = Array.from({ length: 100 }, (_, nonce) => nonce);
  expect(await taking.reload([...nonces.slice(1), 0].map(transfer))).toBe(nonces.length);
  expect(mempool.readySize).toBe(nonces.length);
});

it("has room for clients while peers send more than can be taken in", async () => {
  const { intake: taking } = intake({ recover: () => new Promise(() => undefined) });
  const batch = new Array<Uint8Array>(1_000).fill(transfer(0));
  const received: string[] = [];
  for (let sent = 0; sent < 2 * MAX_INTAKE_TRANSACTIONS; sent += batch.length) {
    void taking.receive(batch).then((judgement) => received.push(judgement));
  }
  let refusal: unknown;
  void taking.submit(transfer(0)).catch((error: unknown) => {
    refusal = error;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(received.length).toBeGreaterThan(0);
  expect(new Set(received)).toEqual(new Set(["ignore"]));
  expect(refusal).toBeUndefined();
});

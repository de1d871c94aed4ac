/** Bugs inside a module fail the call that met them, on every node alike; what one machine suffers from ends the block. */
import { encodeFunctionData, parseAbi } from "viem";
import { describe, expect, it } from "vitest";
import { bytesToHex, hexToBytes } from "../../../base/bytes.ts";
import { assert, CodedError } from "../../../base/errors.ts";
import { BlockExecutor } from "../../../vm/execution/execute-block.ts";
import { AGENDA_ADDRESS, CLOCK_ADDRESS, moduleAddress } from "../../../vm/modules/addresses.ts";
import { createAgendaModule } from "../../../vm/modules/agenda/agenda.ts";
import { RETRY_SECONDS } from "../../../vm/modules/agenda/limits.ts";
import { dueOf, schedule } from "../../../vm/modules/agenda/schedule.ts";
import { defineModule, type NativeModule } from "../../../vm/modules/module.ts";
import type { ModuleCall } from "../../../vm/modules/module-call.ts";
import { ParameterStore } from "../../../vm/modules/parameter-store.ts";
import { slotOf } from "../../../vm/modules/storage.ts";
import type { Address } from "../../../vm/state/account.ts";
import { accountKey, EconomyChain } from "../support/economy-chain.ts";

const FAULTY = moduleAddress(99);
const SLOT = slotOf("written before the bug");
const ABI = parseAbi(["function run()", "function later()"]);
const WORK = { module: FAULTY, kind: 1, id: 7n };

/** A chain with a module more, which does what the test says after it has written something. */
function faultyChain(bug: (call: ModuleCall) => void): EconomyChain {
  const chain = new EconomyChain();
  const run = (call: ModuleCall): void => {
    call.write(SLOT, 1n);
    bug(call);
  };
  const faulty = defineModule({
    name: "faulty",
    address: FAULTY,
    abi: ABI,
    handlers: {
      run,
      later: (call: ModuleCall) => schedule(call, { block: call.environment.number + 1n }, WORK),
    },
  });
  const modules = chain.rules.modules as Map<Address, NativeModule>;
  modules.set(FAULTY, faulty);
  const parameters = new ParameterStore(chain.spec.modules);
  modules.set(AGENDA_ADDRESS, createAgendaModule(parameters, [{ module: FAULTY, kind: 1, run }]));
  return chain;
}

const runData = (): Uint8Array => hexToBytes(encodeFunctionData({ abi: ABI, functionName: "run" }));
const laterData = (): Uint8Array => hexToBytes(encodeFunctionData({ abi: ABI, functionName: "later" }));

const BUGS: readonly (readonly [string, () => unknown])[] = [
  ["an assertion", () => assert(false, "two and two are five")],
  ["a library", () => (undefined as unknown as { length: number }).length],
  ["a coded error that nobody expected", () => expectNothing()],
  ["a division by zero", () => 1n / zero()],
  ["a number that is too big", () => 1n << (1n << 40n)],
  ["a fraction for a whole number", () => BigInt(Number(zero()) + 0.5)],
  ["a list of less than nothing", () => new Array(Number(zero()) - 1)],
  ["bytes that do not fit", () => new Uint8Array(1).set([1, 2])],
  ["an index beyond the bytes", () => new DataView(new ArrayBuffer(1)).getUint32(0)],
  ["a view beyond the bytes", () => new Uint8Array(new ArrayBuffer(1), 2)],
  ["text less than no times", () => "a".repeat(Number(zero()) - 1)],
];

function zero(): bigint {
  return BigInt(BUGS.length - BUGS.length);
}

function expectNothing(): never {
  throw new CodedError("RLP_INVALID", "not canonical");
}

describe("a bug in a module", () => {
  it.each(BUGS)("by %s fails its transaction alone: undone, all gas taken, reported with the hash", (_name, bug) => {
    const chain = faultyChain(() => void bug());
    const failing = chain.transaction(FAULTY, runData(), { gasLimit: 200_000n });
    const other = chain.transaction(CLOCK_ADDRESS, new Uint8Array(), { key: accountKey(1), value: 1n });
    const { receipts, faults } = chain.block([failing, other]);
    expect(receipts[0]).toMatchObject({ succeeded: false, gasUsed: 200_000n, logs: [] });
    expect(receipts[1]).toMatchObject({ succeeded: true });
    expect(chain.reading(FAULTY).read(SLOT)).toBe(0n);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ module: FAULTY, transaction: bytesToHex(failing.transaction.hash) });
    expect(faults[0]?.error).toBeInstanceOf(Error);
  });

  it("in scheduled work is undone and told, and the work is tried again a day later", () => {
    let isMended = false;
    const chain = faultyChain(() => assert(isMended, "two and two are five"));
    chain.block([chain.transaction(FAULTY, laterData(), { gasLimit: 500_000n })]);
    const { receipts, faults } = chain.block();
    expect(faults).toMatchObject([{ module: FAULTY, transaction: undefined }]);
    expect(receipts.at(-1)?.logs.some(({ address }) => address === AGENDA_ADDRESS)).toBe(true);
    expect(chain.reading(FAULTY).read(SLOT)).toBe(0n);
    expect(dueOf(chain.reading(AGENDA_ADDRESS), WORK)).toEqual({ time: chain.now + RETRY_SECONDS });
    expect(chain.block().faults).toEqual([]);
    isMended = true;
    chain.pass(RETRY_SECONDS);
    expect(chain.reading(FAULTY).read(SLOT)).toBe(1n);
    expect(dueOf(chain.reading(AGENDA_ADDRESS), WORK)).toBeUndefined();
  });
});

describe("what is the trouble of one machine", () => {
  const overflow = (): number => overflow() + 1;
  const cases: readonly (readonly [string, () => unknown])[] = [
    ["no stack", overflow],
    ["no memory", () => new Uint8Array(2 ** 52)],
    ["no memory for a buffer", () => new ArrayBuffer(2 ** 52)],
    ["an error that was caused by one of these", () => wrapped(overflow)],
  ];

  it.each(cases)("(%s) ends the block", (_name, trouble) => {
    const chain = faultyChain(() => void trouble());
    expect(() => chain.block([chain.transaction(FAULTY, runData(), { gasLimit: 200_000n })])).toThrow();
    chain.block([chain.transaction(FAULTY, laterData(), { key: accountKey(1), gasLimit: 500_000n })]);
    expect(() => chain.block()).toThrow();
  });

  it("(a state that cannot be read) ends the block, with the error that reading gave", () => {
    const chain = faultyChain((own) => void own.read(slotOf("damaged")));
    const damaged = new CodedError("STORE_CORRUPT", "the record is damaged");
    const { reader } = chain.state;
    const broken = {
      ...chain.state,
      reader: {
        account: (address: Address) => reader.account(address),
        code: (hash: `0x${string}`) => reader.code(hash),
        hasStorage: (address: Address) => reader.hasStorage(address),
        storage: (address: Address, slot: `0x${string}`) => {
          if (slot === slotOf("damaged")) throw damaged;
          return reader.storage(address, slot);
        },
      },
    };
    const transaction = chain.transaction(FAULTY, runData(), { gasLimit: 200_000n });
    const executor = new BlockExecutor(chain.rules);
    expect(() => executor.execute(broken, chain.environment(), [transaction])).toThrow(damaged);
  });
});

function wrapped(work: () => unknown): unknown {
  try {
    return work();
  } catch (cause) {
    throw new Error("a library gives up", { cause });
  }
}

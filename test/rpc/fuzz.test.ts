import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { METHODS } from "../../rpc/methods.ts";
import { ALICE, BOB } from "../chain/runtime/support/single-node.ts";
import { DrivenChain, TOPIC, WORD } from "./support/driven-chain.ts";

/**
 * Whatever parameters come, the answer is a result or an error with a code: never a bug of ours. Values that are nearly
 * right reach deeper than noise, so most are made of what the methods know.
 */
let chain: DrivenChain;
beforeAll(async () => {
  chain = await DrivenChain.open();
});
afterAll(() => chain.close());

/** Changes the chain or waits for it, or is for connections that this test does not have. */
const LEFT_OUT = /^eth_send|^ogpu_faucet$|ubscribe$|^admin_/;

const NAMES = [
  ...["from", "to", "value", "data", "input", "gas", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "accessList"],
  ...[
    "address",
    "storageKeys",
    "topics",
    "fromBlock",
    "toBlock",
    "blockHash",
    "blockNumber",
    "requireCanonical",
    "nonce",
  ],
  ...[
    "tracer",
    "tracerConfig",
    "diffMode",
    "withLog",
    "onlyTopCall",
    "enableMemory",
    "limit",
    "stateOverrides",
    "type",
  ],
  ...[
    "balance",
    "code",
    "state",
    "stateDiff",
    "movePrecompileToAddress",
    "number",
    "time",
    "gasLimit",
    "baseFeePerGas",
  ],
  ...[
    "blockStateCalls",
    "calls",
    "blockOverrides",
    "validation",
    "traceTransfers",
    "__proto__",
    "constructor",
    "toString",
  ],
];

const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    "latest",
    "earliest",
    "pending",
    "safe",
    "finalized",
    "0x0",
    "0x1",
    "0x3",
    "0xffffffffffffffffff",
  ),
  fc.constantFrom<unknown>(
    ALICE.address,
    BOB.address,
    WORD,
    TOPIC,
    "0x",
    "0x60006000fd",
    "callTracer",
    "prestateTracer",
  ),
  fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 1.5, 1e300, 50, "", "0X0", "0x00", "\u0000", "\ud800", "💥"),
  fc.bigInt({ min: 0n, max: 2n ** 256n }).map((value) => `0x${value.toString(16)}`),
  fc.string({ maxLength: 80 }),
);

const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 5 }),
    fc.dictionary(fc.constantFrom(ALICE.address, BOB.address, WORD), tie("value"), { maxKeys: 2 }),
  ),
}));

const methods = METHODS.map(({ name }) => name).filter((name) => !LEFT_OUT.test(name));

it("answers anything, and breaks on nothing", async () => {
  const request = fc.tuple(fc.constantFrom(...methods), fc.array(json, { maxLength: 4 }));
  await fc.assert(
    fc.asyncProperty(request, async ([method, params]) => {
      const answer = await chain.fixture.ask(method, ...params);
      expect(answer.error?.code, `${method} ${JSON.stringify(params)}`).not.toBe(-32_603);
      expect("result" in answer || answer.error !== undefined).toBe(true);
    }),
    { numRuns: 4_000 },
  );
  expect(chain.fixture.bugs).toEqual([]);
});

it("breaks on nothing when one value of a good question is another", async () => {
  const questions = methods.flatMap((name) => (chain.questions(name) ?? []).map((params) => ({ name, params })));
  const broken = fc.tuple(fc.constantFrom(...questions), fc.nat({ max: 3 }), json);
  await fc.assert(
    fc.asyncProperty(broken, async ([{ name, params }, at, value]) => {
      const changed = params.map((param, index) => (index === at % Math.max(1, params.length) ? value : param));
      const { error } = await chain.fixture.ask(name, ...changed);
      expect(error?.code, `${name} ${JSON.stringify(changed)}`).not.toBe(-32_603);
    }),
    { numRuns: 2_000 },
  );
  expect(chain.fixture.bugs).toEqual([]);
});

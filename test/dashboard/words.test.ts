import { type Abi, encodeAbiParameters, encodeEventTopics, encodeFunctionData, type Hex } from "viem";
import { describe, expect, it } from "vitest";
import { modules } from "../../dashboard/state/modules.ts";
import { wordsOfLog, wordsOfTransaction } from "../../dashboard/words/decode.ts";
import { describeProblem } from "../../dashboard/words/problem.ts";
import { plainText } from "../../dashboard/words/sentence.ts";
import { CALLS, EVENTS } from "../../dashboard/words/templates.ts";
import { type ModuleName, ogpuModules } from "../../rpc/client/modules.ts";

const OPERATOR = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

function call(module: ModuleName, functionName: string, args: readonly unknown[], value = 0n): string {
  const { address, abi } = ogpuModules[module];
  const input = encodeFunctionData({ abi: abi as Abi, functionName, args });
  return plainText(wordsOfTransaction({ to: address, value, input }));
}

interface Named {
  readonly type: string;
  readonly name?: string;
  readonly inputs?: readonly { readonly name?: string }[];
}

describe("transactions in words", () => {
  it("says what a call of a module does, with its money", () => {
    expect(call("staking", "delegate", [OPERATOR], 5n)).toBe(`Delegate 5 wei to validator ${OPERATOR}`);
    expect(call("governance", "vote", [7n, 4])).toBe("Vote veto on proposal 7");
    expect(call("staking", "setCommission", [50_000n])).toBe("Set the commission to 5%");
  });

  it("says of other transactions what can be known", () => {
    expect(plainText(wordsOfTransaction({ to: OPERATOR, value: 3n, input: "0x" }))).toBe(`Send 3 wei to ${OPERATOR}`);
    expect(plainText(wordsOfTransaction({ to: null, value: 0n, input: "0x60" }))).toBe("Create a contract");
    expect(plainText(wordsOfTransaction({ to: OPERATOR, value: 0n, input: "0xa9059cbb00" }))).toBe(
      `Call 0xa9059cbb of ${OPERATOR}`,
    );
  });

  it("does not stumble over input that no function takes", () => {
    const { address } = ogpuModules.staking;
    for (const input of ["0x", "0x12", "0xffffffff", "0x5c19a95c01"] as const) {
      expect(plainText(wordsOfTransaction({ to: address, value: 0n, input }))).toContain(address);
    }
  });
});

describe("sentences", () => {
  /** Every module's functions and events, by `module.name`. */
  const items = new Map<string, Named>();
  for (const { name, abi } of modules) {
    for (const item of abi as readonly Named[]) items.set(`${name}.${item.name}`, item);
  }

  it.each([...Object.entries(CALLS), ...Object.entries(EVENTS)])("of %s name only what there is", (key, template) => {
    const known = new Set(["value", ...(items.get(key)?.inputs ?? []).map(({ name }) => name)]);
    expect(items.has(key)).toBe(true);
    for (const [, name] of template.matchAll(/\{(\w+)\}/g)) expect(known).toContain(name);
  });
});

describe("events in words", () => {
  it("says what happened", () => {
    const { address, abi } = ogpuModules.staking;
    const topics = encodeEventTopics({
      abi,
      eventName: "Delegated",
      args: { delegator: OPERATOR, operator: OPERATOR },
    }) as Hex[];
    const data = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [8n, 9n]);
    const words = wordsOfLog({ address, topics, data });
    expect(words && plainText(words)).toBe(`${OPERATOR} delegated 8 wei to ${OPERATOR}`);
  });

  it("says why a job changed", () => {
    const { address, abi } = ogpuModules.market;
    const topics = encodeEventTopics({ abi, eventName: "JobChanged", args: { job: 7n, status: 6 } }) as Hex[];
    const data = encodeAbiParameters([{ type: "uint16" }, { type: "uint8" }, { type: "uint256" }], [8, 0, 0n]);
    const words = wordsOfLog({ address, topics, data });
    expect(words && plainText(words)).toBe("job 7: the worker is paid");
  });

  it("leaves alone what it does not know", () => {
    expect(wordsOfLog({ address: OPERATOR, topics: [], data: "0x" })).toBeUndefined();
    expect(wordsOfLog({ address: ogpuModules.token.address, topics: ["0x12"], data: "0x" })).toBeUndefined();
  });
});

describe("problems in words", () => {
  it("knows a refusal, however deep a library has buried it", () => {
    const refused = { code: 4001, message: "User rejected the request." };
    expect(describeProblem({ message: "outer", cause: { message: "middle", cause: refused } })).toEqual({
      title: "You declined the request in your wallet.",
      detail: "Nothing was sent.",
    });
  });

  it("gives a module's own reason with its numbers", () => {
    const data = {
      errorName: "NotEnoughStake",
      args: [5n * 10n ** 18n, 0n],
      abiItem: {
        inputs: [
          { name: "asked", type: "uint256" },
          { name: "available", type: "uint256" },
        ],
      },
    };
    expect(describeProblem({ message: "reverted", cause: { data } }).detail).toBe(
      "Not enough stake: asked 5 oGPU, available 0 oGPU.",
    );
  });

  it.each([
    [{ code: 4900, message: "gone" }, "The node cannot be reached."],
    [{ code: -32002, message: "pending" }, "Your wallet waits for an answer already."],
    [{ message: "insufficient funds for gas" }, "The account has too little oGPU for this."],
    ["text", "That did not work."],
    [undefined, "That did not work."],
  ])("%j has a title", (error, title) => {
    expect(describeProblem(error).title).toBe(title);
  });
});

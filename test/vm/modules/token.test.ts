import { readFileSync } from "node:fs";
import { type Abi, decodeFunctionResult, encodeFunctionData, toEventSignature, toFunctionSignature } from "viem";
import { beforeAll, describe, expect, test as it } from "vitest";
import { bytesToHex, EMPTY_BYTES, hexToBytes } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { compileSolidity } from "../../../bench/solidity.ts";
import { emissionUpTo, totalEmission } from "../../../genesis/emission.ts";
import type { ExecutedBlock } from "../../../vm/execution/execute-block.ts";
import { tokenAbi } from "../../../vm/interfaces/abi/token.ts";
import { TOKEN_ADDRESS } from "../../../vm/modules/addresses.ts";
import { readSupply } from "../../../vm/modules/token/token.ts";
import type { Receipt } from "../../../vm/receipt/receipt.ts";
import type { Address } from "../../../vm/state/account.ts";
import {
  signed,
  TEST_CAP,
  TEST_COINBASE,
  TEST_EMISSION,
  TestChain,
  testGenesis,
  testKey,
} from "../support/test-chain.ts";

const KEY = testKey(1);
const SUPPLY = 1_000n * OGPU;

/** Solidity wants EIP-55 for address literals; a number has no case. */
const TOKEN_LITERAL = `address(uint160(${BigInt(TOKEN_ADDRESS)}))`;

/** Reaches the token module in every way that a contract can. */
const CALLER_SOURCE = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;
import "IToken.sol";

contract Caller {
    IToken private constant TOKEN = IToken(${TOKEN_LITERAL});
    bytes private constant BURN = abi.encodeWithSignature("burn()");

    function supply() external view returns (uint256) { return TOKEN.totalSupply(); }
    function burnAll() external payable { TOKEN.burn{value: msg.value}(); }
    function sendPlain() external payable returns (bool ok) { (ok, ) = address(TOKEN).call{value: msg.value}(""); }
    function delegate() external payable returns (bool ok, bytes memory out) { (ok, out) = address(TOKEN).delegatecall(BURN); }
    function callcode() external payable returns (bool ok) {
        bytes memory input = BURN;
        address token = address(TOKEN);
        assembly { ok := callcode(gas(), token, callvalue(), add(input, 32), mload(input), 0, 0) }
    }
    function staticBurn() external returns (bool ok, bytes memory out) { (ok, out) = address(TOKEN).staticcall(BURN); }
    function wrongArguments() external returns (bool ok) {
        (ok, ) = address(TOKEN).call(abi.encodePacked(TOKEN.cap.selector, uint8(1)));
    }
    function burnThenFail() external payable { TOKEN.burn{value: msg.value}(); revert("changed my mind"); }
    function catchFailure() external payable returns (uint256) {
        try this.burnThenFail{value: msg.value}() {} catch {}
        return TOKEN.burned();
    }
    function burnWithLittleGas() external payable returns (bool ok) {
        (ok, ) = address(TOKEN).call{value: msg.value, gas: 3000}(BURN);
    }
}`;

const interfaceSource = readFileSync(new URL("../../../vm/interfaces/IToken.sol", import.meta.url), "utf8");

let callerAbi: Abi;
let callerCode: Uint8Array;
let interfaceAbi: Abi;

beforeAll(async () => {
  const contracts = await compileSolidity({ "IToken.sol": interfaceSource, "Caller.sol": CALLER_SOURCE });
  const caller = contracts.get("Caller");
  callerAbi = caller?.abi as Abi;
  callerCode = caller?.code as Uint8Array;
  interfaceAbi = contracts.get("IToken")?.abi as Abi;
});

/** A chain on which the caller contract stands. */
async function chainWithCaller(): Promise<{ chain: TestChain; caller: Address; nonce: () => bigint }> {
  const chain = new TestChain(testGenesis(new Map([[KEY.address, SUPPLY]])));
  const created = await chain.block([signed({ to: undefined, data: callerCode, value: 0n, gasLimit: 950_000n }, KEY)]);
  const caller = created.receipts[0]?.createdAddress as Address;
  return { chain, caller, nonce: () => chain.state.reader.account(KEY.address)?.nonce ?? 0n };
}

async function send(
  { chain, nonce }: { chain: TestChain; nonce: () => bigint },
  to: Address,
  data: Uint8Array,
  value = 0n,
): Promise<{ receipt: Receipt; executed: ExecutedBlock }> {
  const executed = await chain.block([signed({ nonce: nonce(), to, data, value, gasLimit: 900_000n }, KEY)]);
  expect(executed.rejected).toEqual([]);
  expect(executed.violations).toEqual([]);
  return { receipt: executed.receipts[0] as Receipt, executed };
}

function callData(functionName: string): Uint8Array {
  return hexToBytes(encodeFunctionData({ abi: callerAbi, functionName }));
}

function result(functionName: string, output: Uint8Array): unknown {
  return decodeFunctionResult({ abi: callerAbi, functionName, data: bytesToHex(output) });
}

function sumOfAll(chain: TestChain, caller: Address): bigint {
  return [KEY.address, caller, TOKEN_ADDRESS, TEST_COINBASE].reduce((sum, address) => sum + chain.balance(address), 0n);
}

it("the Solidity interface has exactly the functions and events that the module implements", () => {
  const signatures = (abi: Abi): string[] =>
    abi
      .flatMap((item) => {
        if (item.type === "event") return [`event ${toEventSignature(item)}`];
        if (item.type !== "function") return [];
        const outputs = item.outputs.map(({ type }) => type).join(",");
        return [`${toFunctionSignature(item)} ${item.stateMutability} (${outputs})`];
      })
      .sort();
  expect(signatures(interfaceAbi)).toEqual(signatures(tokenAbi));
});

it("a transaction reads and burns without the EVM", async () => {
  const chain = new TestChain(testGenesis(new Map([[KEY.address, SUPPLY]])));
  const data = hexToBytes(encodeFunctionData({ abi: tokenAbi, functionName: "burn" }));
  const { receipts } = await chain.block([
    signed({ to: TOKEN_ADDRESS, data, value: 5n * OGPU, gasLimit: 100_000n }, KEY),
  ]);
  expect(receipts[0]?.succeeded).toBe(true);
  expect(receipts[0]?.logs.map(({ address }) => address)).toEqual([TOKEN_ADDRESS]);
  const { genesis, minted, burned } = readSupply(chain.state.reader);
  expect(genesis).toBe(SUPPLY);
  expect(minted).toBe(emissionUpTo(TEST_EMISSION, 1n));
  expect(burned).toBe(5n * OGPU + (receipts[0]?.gasUsed ?? 0n) * 7n);
});

it("the whole emission schedule stays within the cap and is minted block by block", async () => {
  const chain = new TestChain(testGenesis(new Map([[KEY.address, SUPPLY]])));
  for (let number = 1n; number <= 12n; number++) {
    await chain.block([]);
    expect(readSupply(chain.state.reader).minted).toBe(emissionUpTo(TEST_EMISSION, number));
    expect(chain.balance(TEST_COINBASE)).toBe(emissionUpTo(TEST_EMISSION, number));
  }
  expect(SUPPLY + totalEmission(TEST_EMISSION)).toBeLessThanOrEqual(TEST_CAP);
});

describe("a contract", () => {
  it("reads the supply, burns included that happened earlier in the block", async () => {
    const setup = await chainWithCaller();
    const { receipt } = await send(setup, setup.caller, callData("supply"));
    const { genesis, minted, burned } = readSupply(setup.chain.state.reader);
    const thisBlock = {
      fee: receipt.gasUsed * 7n,
      reward: emissionUpTo(TEST_EMISSION, 2n) - emissionUpTo(TEST_EMISSION, 1n),
    };
    expect(result("supply", receipt.output)).toBe(genesis + minted - burned + thisBlock.fee - thisBlock.reward);
  });

  it("burns what it sends, with a log of the module", async () => {
    const setup = await chainWithCaller();
    const before = readSupply(setup.chain.state.reader).burned;
    const { receipt } = await send(setup, setup.caller, callData("burnAll"), 3n * OGPU);
    expect(receipt.succeeded).toBe(true);
    expect(receipt.logs[0]?.address).toBe(TOKEN_ADDRESS);
    expect(receipt.logs[0]?.topics[1]?.endsWith(setup.caller.slice(2))).toBe(true);
    expect(readSupply(setup.chain.state.reader).burned - before).toBe(3n * OGPU + receipt.gasUsed * 7n);
  });

  it("can send money to a module as to any account", async () => {
    const setup = await chainWithCaller();
    const { receipt } = await send(setup, setup.caller, callData("sendPlain"), OGPU);
    expect(result("sendPlain", receipt.output)).toBe(true);
    expect(setup.chain.balance(TOKEN_ADDRESS)).toBe(OGPU);
  });

  it("cannot borrow a module's code by DELEGATECALL or CALLCODE", async () => {
    const setup = await chainWithCaller();
    const delegated = await send(setup, setup.caller, callData("delegate"), OGPU);
    const [ok, out] = result("delegate", delegated.receipt.output) as [boolean, string];
    expect(ok).toBe(false);
    expect(Buffer.from(out.slice(2), "hex").toString("latin1")).toContain("no DELEGATECALL or CALLCODE");
    const calledCode = await send(setup, setup.caller, callData("callcode"), OGPU);
    expect(result("callcode", calledCode.receipt.output)).toBe(false);
    expect(setup.chain.balance(setup.caller)).toBe(2n * OGPU);
  });

  it("cannot write through STATICCALL", async () => {
    const setup = await chainWithCaller();
    const { receipt } = await send(setup, setup.caller, callData("staticBurn"));
    const [ok] = result("staticBurn", receipt.output) as [boolean, string];
    expect(ok).toBe(false);
    expect(receipt.logs).toEqual([]);
  });

  it("is refused arguments that do not fit the ABI to the byte", async () => {
    const setup = await chainWithCaller();
    const { receipt } = await send(setup, setup.caller, callData("wrongArguments"));
    expect(result("wrongArguments", receipt.output)).toBe(false);
  });

  it("that reverts takes the module's changes and logs with it", async () => {
    const setup = await chainWithCaller();
    const before = readSupply(setup.chain.state.reader).burned;
    const { receipt } = await send(setup, setup.caller, callData("burnThenFail"), OGPU);
    expect(receipt.succeeded).toBe(false);
    expect(receipt.logs).toEqual([]);
    expect(readSupply(setup.chain.state.reader).burned - before).toBe(receipt.gasUsed * 7n);
    const caught = await send(setup, setup.caller, callData("catchFailure"), OGPU);
    expect(caught.receipt.succeeded).toBe(true);
    expect(caught.receipt.logs).toEqual([]);
    expect(setup.chain.balance(setup.caller)).toBe(OGPU);
  });

  it("that gives too little gas gets its money back", async () => {
    const setup = await chainWithCaller();
    const { receipt } = await send(setup, setup.caller, callData("burnWithLittleGas"), OGPU);
    expect(result("burnWithLittleGas", receipt.output)).toBe(false);
    expect(setup.chain.balance(setup.caller)).toBe(OGPU);
    const { genesis, minted, burned } = readSupply(setup.chain.state.reader);
    expect(sumOfAll(setup.chain, setup.caller)).toBe(genesis + minted - burned);
  });
});

it("a module call with garbage reverts and costs gas, the state is otherwise as before", async () => {
  const chain = new TestChain(testGenesis(new Map([[KEY.address, SUPPLY]])));
  const data = Uint8Array.from({ length: 37 }, (_, i) => i);
  const { receipts } = await chain.block([signed({ to: TOKEN_ADDRESS, data, value: OGPU, gasLimit: 100_000n }, KEY)]);
  expect(receipts[0]?.succeeded).toBe(false);
  expect(receipts[0]?.output).not.toEqual(EMPTY_BYTES);
  expect(chain.balance(TOKEN_ADDRESS)).toBe(0n);
});

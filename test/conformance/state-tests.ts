/**
 * Ethereum's GeneralStateTests (ethereum/tests): a pre-state, one transaction, the expected state root and logs.
 * Each case is executed as a block by our block executor, without native modules. The expected root is that of
 * Ethereum's trie over the resulting accounts, which is computed here from our state.
 */
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import { encodeRlp } from "../../base/rlp.ts";
import type { BlockEnvironment } from "../../vm/execution/environment.ts";
import { BlockExecutor, type ExecutedBlock } from "../../vm/execution/execute-block.ts";
import { encodeLogs } from "../../vm/receipt/receipt.ts";
import { recoverSender } from "../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";
import { type CaseResult, jsonFiles, type Suite } from "./suite.ts";
import { conformanceRules } from "./support/conformance-rules.ts";
import { patriciaStateRoot } from "./support/patricia-state-root.ts";
import { loadPreState, type PreAccount } from "./support/pre-state.ts";

interface Environment {
  readonly currentBaseFee: Hex;
  readonly currentCoinbase: Hex;
  readonly currentExcessBlobGas?: Hex;
  readonly currentGasLimit: Hex;
  readonly currentNumber: Hex;
  readonly currentRandom: Hex;
  readonly currentTimestamp: Hex;
}

interface Expectation {
  readonly hash: Hex;
  readonly logs: Hex;
  readonly txbytes: Hex;
  readonly expectException?: string;
}

interface StateTest {
  readonly env: Environment;
  readonly pre: Readonly<Record<string, PreAccount>>;
  readonly post: { readonly Cancun?: readonly Expectation[] };
}

const FORK = "Cancun";

export const suite: Suite = {
  name: "state-tests",
  description: "Ethereum's GeneralStateTests for Cancun, through our block executor",
  async *run(path: string): AsyncGenerator<CaseResult> {
    for (const { content } of jsonFiles(path)) {
      for (const [name, test] of Object.entries(content as Record<string, StateTest>)) {
        const expectations = test.post[FORK] ?? [];
        for (const [i, expected] of expectations.entries()) {
          yield await runStateTest(expectations.length === 1 ? name : `${name}[${i}]`, test, expected);
        }
      }
    }
  },
};

async function runStateTest(name: string, test: StateTest, expected: Expectation): Promise<CaseResult> {
  // One that is to be refused is: this chain refuses them all.
  if (expected.txbytes.startsWith("0x03") && expected.expectException === undefined) {
    return { name, outcome: "skipped", reason: "blob transaction (type 3): not part of this chain" };
  }
  try {
    const { root, logs, error } = await execute(test, hexToBytes(expected.txbytes));
    const problems: string[] = [];
    if (root !== expected.hash) problems.push(`state root ${root}, expected ${expected.hash}`);
    if (logs !== expected.logs) problems.push(`logs hash ${logs}, expected ${expected.logs}`);
    if ((error === undefined) !== (expected.expectException === undefined)) {
      problems.push(`${error?.code ?? "accepted"}, expected ${expected.expectException ?? "to be accepted"}`);
    }
    if (problems.length === 0) return { name, outcome: "passed" };
    return { name, outcome: "failed", reason: problems.join("; ") };
  } catch (error) {
    return { name, outcome: "failed", reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

interface Result {
  readonly root: Hex;
  readonly logs: Hex;
  readonly error: CodedError | undefined;
}

async function execute(test: StateTest, raw: Uint8Array): Promise<Result> {
  const { memory, version } = loadPreState(test.pre);
  const environment = environmentOf(test.env);
  let executed: ExecutedBlock | undefined;
  let error: CodedError | undefined;
  try {
    const transaction = decodeTransaction(raw);
    const recovered = { transaction, sender: recoverSender(transaction) };
    executed = new BlockExecutor(conformanceRules).execute(version, environment, [recovered]);
    error = executed.rejected[0]?.error;
  } catch (failure) {
    if (!(failure instanceof CodedError)) throw failure;
    error = failure;
  }
  if (executed !== undefined) memory.apply(executed.changes);
  if (executed !== undefined && executed.violations.length > 0) throw new Error("the supply was not conserved");
  const logs = executed?.receipts.flatMap((receipt) => receipt.logs) ?? [];
  return { root: patriciaStateRoot(memory), logs: bytesToHex(keccak256(encodeRlp(encodeLogs(logs)))), error };
}

function environmentOf(env: Environment): BlockEnvironment {
  const number = BigInt(env.currentNumber);
  return {
    number,
    timestamp: BigInt(env.currentTimestamp),
    milliseconds: 0,
    consensus: undefined,
    coinbase: env.currentCoinbase.toLowerCase() as Hex,
    gasLimit: BigInt(env.currentGasLimit),
    baseFeePerGas: BigInt(env.currentBaseFee),
    prevRandao: hexToBytes(env.currentRandom),
    blobBaseFee: blobBaseFee(BigInt(env.currentExcessBlobGas ?? "0x0")),
    // The suite's convention: the hash of block n is the hash of n in decimal text.
    blockHash: (n) => keccak256(new TextEncoder().encode(n.toString())),
  };
}

/** EIP-4844's fake_exponential with Cancun's parameters: e ** (excess / 3338477), rounded as the EIP rounds. */
function blobBaseFee(excessBlobGas: bigint): bigint {
  const denominator = 3_338_477n;
  let sum = 0n;
  let term = denominator;
  for (let i = 1n; term > 0n; i++) {
    sum += term;
    term = (term * excessBlobGas) / (denominator * i);
  }
  return sum / denominator;
}

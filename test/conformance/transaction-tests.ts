/**
 * Ethereum's TransactionTests: encoded transactions, valid with hash, sender and intrinsic gas, or not valid.
 * Reads the suite's own files (result by fork) and lists of {txbytes, valid, hash, sender, intrinsicGas}.
 */
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { checkTransaction } from "../../vm/transaction/check.ts";
import { intrinsicGas } from "../../vm/transaction/intrinsic-gas.ts";
import { recoverSender } from "../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";
import { type CaseResult, jsonFiles, runCase, type Suite } from "./suite.ts";
import { conformanceRules } from "./support/conformance-rules.ts";

interface Expected {
  readonly hash?: Hex;
  readonly sender?: Hex;
  readonly intrinsicGas?: Hex;
  readonly exception?: string;
}

interface TransactionCase {
  readonly name: string;
  readonly txbytes: Hex;
  readonly expected: Expected;
}

type ListEntry = Expected & { readonly name: string; readonly txbytes: Hex; readonly valid: boolean };
type OriginalFile = Record<string, { readonly txbytes: Hex; readonly result: { readonly Cancun?: Expected } }>;

export const suite: Suite = {
  name: "transaction-tests",
  description: "Ethereum's TransactionTests for Cancun: encoding, signature, intrinsic gas",
  *run(path: string): Generator<CaseResult> {
    for (const { content } of jsonFiles(path)) {
      for (const { name, txbytes, expected } of casesOf(content)) {
        if (expected.exception === undefined && txbytes.startsWith("0x03")) {
          yield { name, outcome: "skipped", reason: "blob transaction (type 3): not part of this chain" };
        } else yield runCase(name, () => check(txbytes, expected));
      }
    }
  },
};

function casesOf(content: unknown): TransactionCase[] {
  if (Array.isArray(content)) {
    return (content as ListEntry[]).map((entry) => ({
      name: entry.name,
      txbytes: entry.txbytes,
      expected: entry.valid ? entry : { exception: entry.exception ?? "some exception" },
    }));
  }
  return Object.entries(content as OriginalFile).flatMap(([name, { txbytes, result }]) =>
    result.Cancun === undefined ? [] : [{ name, txbytes, expected: result.Cancun }],
  );
}

function check(txbytes: Hex, expected: Expected): void {
  const actual = evaluate(txbytes);
  if (expected.exception !== undefined) {
    if (!(actual instanceof CodedError)) throw new Error(`accepted, expected ${expected.exception}`);
    return;
  }
  if (actual instanceof CodedError) throw new Error(`${actual.code}: ${actual.message}`);
  if (actual.hash !== expected.hash) throw new Error(`hash ${actual.hash}, expected ${expected.hash}`);
  if (actual.sender !== expected.sender?.toLowerCase()) {
    throw new Error(`sender ${actual.sender}, expected ${expected.sender}`);
  }
  if (expected.intrinsicGas !== undefined && actual.intrinsicGas !== BigInt(expected.intrinsicGas)) {
    throw new Error(`intrinsic gas ${actual.intrinsicGas}, expected ${BigInt(expected.intrinsicGas)}`);
  }
}

function evaluate(txbytes: Hex): { hash: Hex; sender: Hex; intrinsicGas: bigint } | CodedError {
  try {
    const transaction = decodeTransaction(hexToBytes(txbytes));
    checkTransaction(transaction, conformanceRules);
    const sender = recoverSender(transaction);
    return { hash: bytesToHex(transaction.hash), sender, intrinsicGas: intrinsicGas(transaction) };
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}

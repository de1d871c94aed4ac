/**
 * The test cases of ethers (ethers-io/ethers.js, testcases): a file is a list of cases of one kind. Transactions,
 * RLP, hashes, keys and addresses run through our own code, ABI coding and typed data through viem.
 */
import { type CaseResult, jsonFiles, runCase, type Suite } from "./suite.ts";
import {
  checkAccount,
  checkCreate,
  checkCreate2,
  checkHashes,
  checkHmac,
  checkKeyDerivation,
  checkRlp,
  checkWallet,
} from "./support/ethers/accounts.ts";
import { checkAbi, checkPacked, checkTypedData } from "./support/ethers/codec.ts";
import { checkTransactions } from "./support/ethers/transactions.ts";

interface Kind {
  /** A case is of this kind when it has all of these. */
  readonly fields: readonly string[];
  readonly check: (test: never) => void;
}

/** Told apart by their fields, so that no file name matters. */
const KINDS: readonly Kind[] = [
  { fields: ["transaction", "privateKey"], check: checkTransactions },
  { fields: ["type", "verbose", "encoded"], check: checkAbi },
  { fields: ["primaryType", "types", "digest"], check: checkTypedData },
  { fields: ["types", "values", "keccak256"], check: checkPacked },
  { fields: ["data", "keccak256", "sha512"], check: checkHashes },
  { fields: ["data", "key", "hmac"], check: checkHmac },
  { fields: ["password", "pbkdf2", "scrypt"], check: checkKeyDerivation },
  { fields: ["decoded", "encoded"], check: checkRlp },
  { fields: ["address", "icap"], check: checkAccount },
  { fields: ["address", "password", "content"], check: checkWallet },
];

type Case = Readonly<Record<string, unknown>>;

export const suite: Suite = {
  name: "ethers",
  description: "The cases of ethers: transactions, ABI, typed data, addresses, hashes, RLP, wallets",
  *run(path: string): Generator<CaseResult> {
    for (const { name, content } of jsonFiles(path)) {
      if (!isEthersFile(name, content)) continue;
      for (const test of content) yield* runOne(name, test);
    }
  },
};

/** Folders may hold files of other suites beside ours. */
function isEthersFile(name: string, content: unknown): content is readonly Case[] {
  if (!Array.isArray(content)) return false;
  return name.startsWith("ethers-") || content.some((test: Case) => "creates" in test || kindOf(test) !== undefined);
}

function kindOf(test: Case): Kind | undefined {
  return KINDS.find(({ fields }) => fields.every((field) => field in test));
}

function* runOne(file: string, test: Case): Generator<CaseResult> {
  if (Array.isArray(test["creates"])) {
    const sender = String(test["sender"]);
    for (const create of test["creates"] as readonly Case[]) {
      const check = "salt" in create ? checkCreate2 : checkCreate;
      yield runCase(`${file}/${create["name"]}`, () => check(sender, create as never));
    }
    return;
  }
  yield runCase(`${file}/${test["name"]}`, () => {
    const kind = kindOf(test);
    if (kind === undefined) throw new Error(`no check for a case with the fields ${Object.keys(test).join(", ")}`);
    kind.check(test as never);
  });
}

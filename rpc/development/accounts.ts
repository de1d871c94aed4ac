/**
 * On a development chain the node signs for the accounts of the test mnemonic, so that tools which expect that of a local
 * node work at once. Everybody knows these keys, so nothing is given away; any page in a browser on the same machine can use
 * them, as it could without the node. Other chains have none.
 */
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import type { Address } from "../../vm/state/account.ts";
import { REFUSED, RpcError } from "../rpc-error.ts";
import { type TestAccount, testAccount } from "./test-accounts.ts";
import { TEST_ACCOUNTS } from "./test-mnemonic.ts";

let derived: ReadonlyMap<Address, TestAccount> | undefined;
const NONE: ReadonlyMap<Address, TestAccount> = new Map();

/** By address, in the order of their numbers. */
export function developmentAccounts(spec: ChainSpec): ReadonlyMap<Address, TestAccount> {
  if (!spec.development) return NONE;
  derived ??= deriveAccounts();
  return derived;
}

function deriveAccounts(): ReadonlyMap<Address, TestAccount> {
  const accounts = Array.from({ length: TEST_ACCOUNTS }, (_, index) => testAccount(index));
  return new Map(accounts.map((account) => [account.address, account]));
}

/** Throws ACCOUNT_UNKNOWN. */
export function requireAccount(spec: ChainSpec, address: Address | undefined): TestAccount {
  const account = address === undefined ? undefined : developmentAccounts(spec).get(address);
  if (account === undefined) throw new RpcError(REFUSED, "unknown account", { code: "ACCOUNT_UNKNOWN" });
  return account;
}

/** The account that the faucet pays from: the last, which people use least. */
export function faucetAccount(spec: ChainSpec): TestAccount {
  return requireAccount(spec, [...developmentAccounts(spec).keys()].at(-1));
}

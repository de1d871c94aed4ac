/** The accounts of the test mnemonic. */
import { mnemonicToAccount } from "viem/accounts";
import { assert } from "../base/errors.ts";
import type { Address } from "../vm/state/account.ts";
import { TEST_MNEMONIC } from "./test-mnemonic.ts";

export interface TestAccount {
  readonly index: number;
  readonly address: Address;
  readonly privateKey: Uint8Array;
}

/** The account at m/44'/60'/0'/0/index. */
export function testAccount(index: number): TestAccount {
  const account = mnemonicToAccount(TEST_MNEMONIC, { addressIndex: index });
  const { privateKey } = account.getHdKey();
  assert(privateKey !== null, "an account of a mnemonic has a private key");
  return { index, address: account.address.toLowerCase() as Address, privateKey };
}

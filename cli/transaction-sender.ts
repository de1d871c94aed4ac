/** What commands that send a transaction have in common: whose key signs, what it costs, and what came of it. */
import { setTimeout as delay } from "node:timers/promises";
import { bytesToHex, type Hex } from "../base/bytes.ts";
import { CodedError } from "../base/errors.ts";
import { privateKeyToAddress } from "../base/secp256k1.ts";
import { openKeystore, readKeystore } from "../chain/keys/keystore-file.ts";
import { TEST_ACCOUNTS } from "../rpc/development/test-mnemonic.ts";
import { signTransaction } from "../vm/transaction/sign.ts";
import type { IntegerOption, OptionValues, StringOption } from "./command.ts";
import { passwordFileOption } from "./commands/keys-options.ts";
import { PasswordReader } from "./commands/keys-password.ts";
import { usageError } from "./failure.ts";
import { callQuantity, callRpc, quantity } from "./json-rpc-client.ts";
import { readKeyFile } from "./key-file.ts";

const POLL_MILLISECONDS = 100;
const WAIT_MILLISECONDS = 60_000;

type SenderOptions = Readonly<Record<"keyFile" | "key" | "passwordFile", StringOption>> & {
  readonly from: IntegerOption;
};

export const senderOptions: SenderOptions = {
  from: { type: "integer", placeholder: "n", description: "a test account of the devnet", max: TEST_ACCOUNTS - 1 },
  keyFile: { type: "string", placeholder: "file", description: "the sender's private key", env: "OGPU_KEY_FILE" },
  key: { type: "string", placeholder: "file", description: "the sender's keystore (see: ogpu keys new --help)" },
  passwordFile: passwordFileOption,
};

export interface Receipt {
  readonly status: string;
  readonly blockNumber: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }[];
}

/** What a transaction does, whoever signs it. */
export interface Action {
  readonly to: Hex;
  readonly value: bigint;
  readonly data: Uint8Array;
}

/** `path` is of the command, for its help. Throws KEY_FILE_, KEYSTORE_ and PASSWORD_ codes. */
export async function senderKey(
  { from, keyFile, key, passwordFile }: OptionValues<SenderOptions>,
  path: string,
): Promise<Uint8Array> {
  const hint = `See: ${path} --help`;
  if ([from, keyFile, key].filter((given) => given !== undefined).length > 1) {
    // A guess would take the money from somebody.
    throw usageError("who sends? more than one of --from, --key and --key-file (OGPU_KEY_FILE) is given", hint);
  }
  if (from !== undefined) return (await import("../rpc/development/test-accounts.ts")).testAccount(from).privateKey;
  if (keyFile !== undefined) return await readKeyFile(keyFile);
  if (key !== undefined) return await keystoreKey(key, passwordFile);
  throw usageError("who sends? give --from <n>, --key <keystore> or --key-file <file>", hint);
}

/** The same where a key is not needed: undefined when none is named. */
export async function senderKeyIfNamed(
  options: OptionValues<SenderOptions>,
  path: string,
): Promise<Uint8Array | undefined> {
  const { from, keyFile, key } = options;
  const isNamed = from !== undefined || keyFile !== undefined || key !== undefined;
  return isNamed ? await senderKey(options, path) : undefined;
}

async function keystoreKey(path: string, passwordFile: string | undefined): Promise<Uint8Array> {
  const keystore = await readKeystore(path);
  if (keystore.kind !== "account") {
    throw new CodedError("KEYSTORE_INVALID", `${path} holds the key of a validator, which signs no transactions`, {
      hint: "Make one with: ogpu keys new <name> --kind account",
    });
  }
  const passwords = new PasswordReader();
  try {
    return await openKeystore(keystore, await passwords.read(`Password of ${path}: `, passwordFile));
  } finally {
    passwords.close();
  }
}

/** Signs with the account's next nonce and the fees that the node names, and sends. Gives the hash. */
export async function sendAction(rpc: string, key: Uint8Array, action: Action): Promise<Hex> {
  const raw = await makeTransaction(rpc, key, action);
  return await callRpc<Hex>(rpc, "eth_sendRawTransaction", [bytesToHex(raw)]);
}

async function makeTransaction(rpc: string, key: Uint8Array, { to, value, data }: Action): Promise<Uint8Array> {
  const from = bytesToHex(privateKeyToAddress(key));
  const call = { from, to, value: quantity(value), ...(data.length > 0 && { data: bytesToHex(data) }) };
  const [chainId, nonce, gasLimit, gasPrice, maxPriorityFeePerGas] = await Promise.all([
    callQuantity(rpc, "eth_chainId", []),
    callQuantity(rpc, "eth_getTransactionCount", [from, "pending"]),
    callQuantity(rpc, "eth_estimateGas", [call]),
    callQuantity(rpc, "eth_gasPrice", []),
    callQuantity(rpc, "eth_maxPriorityFeePerGas", []),
  ]);
  // Twice today's price lasts through six full blocks; what is not needed is not paid.
  const maxFeePerGas = 2n * gasPrice;
  const fees = { gasLimit, maxFeePerGas, maxPriorityFeePerGas };
  return signTransaction({ type: 2, chainId, nonce, ...fees, to, value, data, accessList: [] }, key);
}

/** Throws TX_NOT_INCLUDED after a minute. */
export async function waitForReceipt(rpc: string, hash: Hex): Promise<Receipt> {
  const deadline = Date.now() + WAIT_MILLISECONDS;
  while (Date.now() < deadline) {
    const receipt = await callRpc<Receipt | null>(rpc, "eth_getTransactionReceipt", [hash]);
    if (receipt !== null) return receipt;
    await delay(POLL_MILLISECONDS);
  }
  throw new CodedError("TX_NOT_INCLUDED", `no block has ${hash} yet`, {
    hash,
    hint: `Look again with: ogpu tx ${hash}`,
  });
}

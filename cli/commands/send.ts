import { setTimeout as delay } from "node:timers/promises";
import { checksumAddress, parseAddress } from "../../base/address.ts";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import { formatOgpu, parseOgpu } from "../../base/units.ts";
import { signTransaction } from "../../vm/transaction/sign.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { readValue, usageError } from "../failure.ts";
import { callQuantity, callRpc, quantity, rpcOption } from "../json-rpc-client.ts";
import { readKeyFile } from "../key-file.ts";
import { TEST_ACCOUNTS } from "../test-mnemonic.ts";

const PATH = "ogpu send";
const POLL_MILLISECONDS = 100;
const WAIT_MILLISECONDS = 60_000;
const HINT = `See: ${PATH} --help`;

interface Receipt {
  readonly status: string;
  readonly blockNumber: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
}

export const send: Command = defineCommand({
  name: "send",
  summary: "Send oGPU, or call a contract",
  options: {
    to: { type: "string", placeholder: "address", description: "the receiver", required: true },
    amount: { type: "string", placeholder: "oGPU", description: "how much, such as 1.5", default: "0" },
    from: { type: "integer", placeholder: "n", description: "a test account of the devnet", max: TEST_ACCOUNTS - 1 },
    keyFile: { type: "string", placeholder: "file", description: "the sender's private key", env: "OGPU_KEY_FILE" },
    data: { type: "string", placeholder: "hex", description: "call data", default: "0x" },
    noWait: { type: "flag", description: "do not wait for the block" },
    rpc: rpcOption,
  },
  examples: [
    {
      command: "ogpu send --from 0 --to 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 --amount 1.5",
      description: "on the devnet",
    },
    { command: "ogpu send --key-file my.key --to 0x7099...79C8 --data 0x1249c58b", description: "call a contract" },
  ],
  async run({ options }, { report, progress }): Promise<ExitCode> {
    const { rpc } = options;
    const key = await senderKey(options.from, options.keyFile);
    const to = bytesToHex(readValue("--to", options.to, PATH, parseAddress));
    const value = readValue("--amount", options.amount, PATH, parseOgpu);
    const data = readValue("--data", options.data, PATH, hexToBytes);
    const raw = await makeTransaction(rpc, key, to, value, data);
    const hash = await callRpc<Hex>(rpc, "eth_sendRawTransaction", [bytesToHex(raw)]);
    const sent = { hash, from: checksumAddress(privateKeyToAddress(key)), to: checksumAddress(hexToBytes(to)), value };
    if (options.noWait) {
      report({ ...sent, status: "sent" }, hash);
      return 0;
    }
    progress(`sent ${hash}, waiting for its block`);
    const receipt = await waitForReceipt(rpc, hash);
    const succeeded = receipt.status === "0x1";
    const blockNumber = Number(receipt.blockNumber);
    const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
    const status = succeeded ? "succeeded" : "failed";
    report(
      { ...sent, status, blockNumber, fee },
      `${hash}\n${status} in block ${blockNumber}, fee ${formatOgpu(fee)} oGPU`,
    );
    return succeeded ? 0 : 1;
  },
});

async function senderKey(from: number | undefined, keyFile: string | undefined): Promise<Uint8Array> {
  if (from !== undefined && keyFile !== undefined) {
    // A guess would take the money from somebody.
    throw usageError("who sends? both --from and a key file (--key-file or OGPU_KEY_FILE) are given", HINT);
  }
  if (from !== undefined) return (await import("../test-accounts.ts")).testAccount(from).privateKey;
  if (keyFile !== undefined) return await readKeyFile(keyFile);
  throw usageError("who sends? give --from <n> or --key-file <file>", HINT);
}

async function makeTransaction(
  rpc: string,
  key: Uint8Array,
  to: Hex,
  value: bigint,
  data: Uint8Array,
): Promise<Uint8Array> {
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

async function waitForReceipt(rpc: string, hash: Hex): Promise<Receipt> {
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

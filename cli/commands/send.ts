import { checksumAddress, parseAddress } from "../../base/address.ts";
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import { formatOgpu, parseOgpu } from "../../base/units.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { readValue, usageError } from "../failure.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { sendAction, senderKey, senderOptions, waitForReceipt } from "../transaction-sender.ts";

const PATH = "ogpu send";

export const send: Command = defineCommand({
  name: "send",
  summary: "Send oGPU, or call a contract",
  options: {
    to: { type: "string", placeholder: "address", description: "the receiver", required: true },
    amount: { type: "string", placeholder: "oGPU", description: "how much, such as 1.5; none unless told in a call" },
    ...senderOptions,
    data: { type: "string", placeholder: "hex", description: "call data, to call a contract" },
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
    const key = await senderKey(options, PATH);
    const to = bytesToHex(readValue("--to", options.to, PATH, parseAddress));
    if (options.amount === undefined && options.data === undefined) {
      throw usageError("how much? give --amount <oGPU>, or --data <hex> to call a contract", `See: ${PATH} --help`);
    }
    const value = readValue("--amount", options.amount ?? "0", PATH, parseOgpu);
    const data = readValue("--data", options.data ?? "0x", PATH, hexToBytes);
    const hash = await sendAction(rpc, key, { to, value, data });
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

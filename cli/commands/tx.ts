import { checksumAddress } from "../../base/address.ts";
import { hexToBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { formatGwei, formatOgpu } from "../../base/units.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { usageError } from "../failure.ts";
import { callRpc, rpcOption } from "../json-rpc-client.ts";
import { factTable } from "../table.ts";

type Json = Readonly<Record<string, string | null>>;

export const tx: Command = defineCommand({
  name: "tx",
  summary: "Show a transaction and what came of it",
  args: [{ name: "hash", description: "the transaction's hash" }],
  options: { rpc: rpcOption },
  examples: [{ command: "ogpu tx 0x5c50...b2a1", description: "with the hash that ogpu send prints" }],
  async run({ args, options }, { report }): Promise<ExitCode> {
    const hash = args[0] as string;
    if (!/^0x[0-9a-f]{64}$/i.test(hash)) {
      throw usageError("a transaction's hash is 0x and 64 hexadecimal digits", "See: ogpu tx --help");
    }
    const transaction = await callRpc<Json | null>(options.rpc, "eth_getTransactionByHash", [hash]);
    if (transaction === null) {
      throw new CodedError("TX_UNKNOWN", `the node at ${options.rpc} does not know ${hash}`, {
        hint: "Check the hash and the network.",
      });
    }
    const receipt = await callRpc<Json | null>(options.rpc, "eth_getTransactionReceipt", [hash]);
    report({ transaction, receipt }, describe(transaction, receipt));
    return 0;
  },
});

function describe(transaction: Json, receipt: Json | null): string {
  const facts: [string, string][] = [
    ["hash", transaction["hash"] ?? ""],
    ["from", shownAddress(transaction["from"]) ?? ""],
    ["to", shownAddress(transaction["to"]) ?? "(creates a contract)"],
    ["value", `${formatOgpu(BigInt(transaction["value"] ?? 0))} oGPU`],
    ["nonce", String(Number(transaction["nonce"]))],
  ];
  if (receipt === null) return factTable([...facts, ["status", "waiting for a block"]]);
  const gasUsed = BigInt(receipt["gasUsed"] ?? 0);
  const price = BigInt(receipt["effectiveGasPrice"] ?? 0);
  facts.push(
    ["status", receipt["status"] === "0x1" ? "succeeded" : "failed"],
    ["block", String(Number(receipt["blockNumber"]))],
    ["fee", `${formatOgpu(gasUsed * price)} oGPU (${gasUsed} gas at ${formatGwei(price)} gwei)`],
  );
  const contract = shownAddress(receipt["contractAddress"]);
  if (contract !== undefined) facts.push(["contract", contract]);
  return factTable(facts);
}

function shownAddress(text: string | null | undefined): string | undefined {
  return text ? checksumAddress(hexToBytes(text)) : undefined;
}

import { CodedError } from "../../base/errors.ts";
import { formatGwei } from "../../base/units.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { usageError } from "../failure.ts";
import { callRpc, quantity, rpcOption } from "../json-rpc-client.ts";
import { factTable } from "../table.ts";

interface BlockJson {
  readonly [field: string]: unknown;
  readonly transactions: readonly string[];
}

export const block: Command = defineCommand({
  name: "block",
  summary: "Show a block",
  args: [{ name: "block", description: "its number, its hash, or latest", optional: true }],
  options: { rpc: rpcOption },
  examples: [{ command: "ogpu block 0 --json", description: "the genesis block" }],
  async run({ args, options }, { report }): Promise<ExitCode> {
    const wanted = args[0] ?? "latest";
    const found = await findBlock(options.rpc, wanted);
    if (found === null) {
      throw new CodedError("BLOCK_UNKNOWN", `the node at ${options.rpc} has no block ${wanted}`, {
        hint: "See the last one with: ogpu block latest",
      });
    }
    report(found, describe(found));
    return 0;
  },
});

async function findBlock(rpc: string, wanted: string): Promise<BlockJson | null> {
  if (/^0x[0-9a-f]{64}$/i.test(wanted)) return await callRpc(rpc, "eth_getBlockByHash", [wanted, false]);
  const reference = /^\d{1,15}$/.test(wanted) ? quantity(BigInt(wanted)) : wanted;
  if (reference !== "latest" && !reference.startsWith("0x")) {
    throw usageError(`${wanted} is not a block: give a number, a hash or latest`, "See: ogpu block --help");
  }
  return await callRpc(rpc, "eth_getBlockByNumber", [reference, false]);
}

function describe(found: BlockJson): string {
  const text = (name: string): string => String(found[name]);
  const gasUsed = Number(found["gasUsed"]);
  const share = ((100 * gasUsed) / Number(found["gasLimit"])).toFixed(1);
  return factTable([
    ["number", String(Number(found["number"]))],
    ["hash", text("hash")],
    ["parent", text("parentHash")],
    ["time", new Date(Number(found["timestamp"]) * 1000).toISOString()],
    ["proposer", text("miner")],
    ["gas used", `${gasUsed} (${share}% of the limit)`],
    ["base fee", `${formatGwei(BigInt(text("baseFeePerGas")))} gwei`],
    ["state root", text("stateRoot")],
    ["transactions", String(found.transactions.length)],
    ...found.transactions.map((hash): [string, string] => ["", hash]),
  ]);
}

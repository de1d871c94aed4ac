import { checksumAddress } from "../../base/address.ts";
import { hexToBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { formatGwei } from "../../base/units.ts";
import { decodeExtraData } from "../../chain/blocks/extra-data.ts";
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
  return factTable([
    ["number", String(Number(found["number"]))],
    ["hash", text("hash")],
    ["parent", text("parentHash")],
    ["time", timeText(Number(found["timestamp"]), text("extraData"))],
    ["proposer", checksumAddress(hexToBytes(text("miner")))],
    ["gas used", gasText(Number(found["gasUsed"]), Number(found["gasLimit"]))],
    ["base fee", `${formatGwei(BigInt(text("baseFeePerGas")))} gwei`],
    ["state root", text("stateRoot")],
    ["transactions", String(found.transactions.length)],
    ...found.transactions.map((hash): [string, string] => ["", hash]),
  ]);
}

/** Ethereum's timestamp is in seconds; our headers keep the milliseconds in their extra data. */
function timeText(seconds: number, extraData: string): string {
  const { milliseconds } = decodeExtraData(hexToBytes(extraData));
  return new Date(seconds * 1000 + milliseconds).toISOString();
}

function gasText(used: number, limit: number): string {
  if (used === 0) return "0";
  const percent = (100 * used) / limit;
  return `${used} (${percent < 0.1 ? "less than 0.1" : percent.toFixed(1)}% of the limit)`;
}

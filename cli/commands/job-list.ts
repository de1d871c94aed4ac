import { checksumAddress, parseAddress } from "../../base/address.ts";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { formatOgpu } from "../../base/units.ts";
import { reasonText } from "../../rpc/client/job-reasons.ts";
import { statusName } from "../../rpc/client/market-answers.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { readValue, usageError } from "../failure.ts";
import { MarketSession } from "../job/market-session.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { columns } from "../table.ts";

const PATH = "ogpu job list";

export const jobList: Command = defineCommand({
  name: "list",
  summary: "List jobs, the newest first",
  options: {
    rpc: rpcOption,
    client: { type: "string", placeholder: "address", description: "only those of a client" },
    worker: { type: "string", placeholder: "address", description: "only those that a provider worked on" },
    limit: { type: "integer", placeholder: "n", description: "how many", default: 20, min: 1, max: 100 },
  },
  examples: [{ command: "ogpu job list --limit 5", description: "the last five" }],
  async run({ options }, { report }): Promise<ExitCode> {
    const { client, worker, limit } = options;
    if (client !== undefined && worker !== undefined) {
      throw usageError("--client or --worker, not both", `See: ${PATH} --help`);
    }
    const session = new MarketSession(options.rpc);
    try {
      const ids = await jobIds(session, client, worker, BigInt(limit));
      const jobs = await Promise.all(ids.map((id) => session.job(id)));
      const rows = jobs.map(({ id, status, reason, source, client: by, paid }) => [
        ...[String(id), statusName(status), source === 0n ? "auction" : `source ${source}`],
        ...[checksumAddress(hexToBytes(by)), formatOgpu(paid), reasonText(reason)],
      ]);
      const text =
        jobs.length === 0 ? "no jobs" : columns(["job", "status", "kind", "client", "paid (oGPU)", "why"], rows);
      report(jobs, text);
      return 0;
    } finally {
      session.close();
    }
  },
});

function jobIds(
  { link }: MarketSession,
  client: string | undefined,
  worker: string | undefined,
  limit: bigint,
): Promise<readonly bigint[]> {
  const module = "market";
  const account = (name: string, text: string): Hex =>
    readValue(name, text, PATH, (word) => bytesToHex(parseAddress(word)));
  if (client !== undefined) {
    return link.readModule({ module, functionName: "jobsOfClient", args: [account("--client", client), 0n, limit] });
  }
  if (worker !== undefined) {
    return link.readModule({ module, functionName: "jobsOfWorker", args: [account("--worker", worker), 0n, limit] });
  }
  return link.readModule({ module, functionName: "jobs", args: [0n, limit] });
}

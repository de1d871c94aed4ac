import { writeFile } from "node:fs/promises";
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { decodeProgram } from "../../compute/program/codec.ts";
import { contentAddress } from "../../compute/program/merkle.ts";
import { allowInternalOption } from "../agent/agent-web.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { usageError } from "../failure.ts";
import { fetchOutputs } from "../job/follow-job.ts";
import { jobNumber } from "../job/job-number.ts";
import { MarketSession } from "../job/market-session.ts";
import { receiptText } from "../job/receipt-text.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { factTable } from "../table.ts";

const PATH = "ogpu job result";

/** By the names of outputs. The program of a model calls them out0, out1, ..., whatever the model does. */
export function outputFiles(words: readonly string[], names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    words.map((word) => {
      const named = names.find((name) => word.startsWith(`${name}=`));
      if (named !== undefined) return [named, word.slice(named.length + 1)];
      const [only, ...more] = names;
      if (only !== undefined && more.length === 0 && !word.includes("=")) return [only, word];
      throw usageError(`--out ${word}: expected name=file; there is ${names.join(", ")}`, `See: ${PATH} --help`);
    }),
  );
}

export const jobResult: Command = defineCommand({
  name: "result",
  summary: "Fetch the outputs of a job, checked to be what verifiers checked, and its receipt",
  args: [{ name: "job", description: "its number" }],
  options: {
    allowInternal: allowInternalOption,
    rpc: rpcOption,
    out: { type: "list", placeholder: "[name=]file", description: "where the bytes of an output go" },
  },
  examples: [{ command: "ogpu job result 7 --out digit.bin", description: "its only output, raw" }],
  async run({ args: [text = ""], options }, { report }): Promise<ExitCode> {
    const session = new MarketSession(options.rpc, undefined, options);
    try {
      const job = await session.job(jobNumber(text, PATH));
      const args = [job.program] as const;
      const encoding = await session.link.readModule({ module: "programs", functionName: "encodingOf", args });
      const { buffers, outputs: wanted } = decodeProgram(hexToBytes(encoding));
      const names = wanted.map((buffer) => buffers[buffer]?.name ?? "");
      const files = outputFiles(options.out, names);
      const outputs = await fetchOutputs(session, job, names);
      for (const [name, file] of files) await writeFile(file, outputs.get(name) ?? new Uint8Array(0));
      const receipt = await session.receipt(job.id);
      const facts = [...outputs].map(([name, bytes]) => {
        return [name, `${bytesToHex(contentAddress(bytes))}, ${bytes.length} bytes`] as const;
      });
      report(
        { job: job.id, outputs: Object.fromEntries(facts), receipt },
        `${factTable(facts.map(([name, fact]) => [name, fact]))}\n\n${receiptText(receipt)}`,
      );
      return 0;
    } finally {
      session.close();
    }
  },
});

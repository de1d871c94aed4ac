import { formatOgpu } from "../../base/units.ts";
import { statusName } from "../../rpc/client/market-answers.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { usageError } from "../failure.ts";
import { awaitAnswer, demand, demandedPlace } from "../job/demand.ts";
import { jobNumber } from "../job/job-number.ts";
import { MarketSession } from "../job/market-session.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";

const PATH = "ogpu job demand";

export const jobDemand: Command = defineCommand({
  name: "demand",
  summary: "Have a worker show on the chain a piece of what it withholds, or lose its lock",
  details:
    "For when ogpu job result says that nobody gives an output, or ogpu job watch that the state after a segment cannot be had. " +
    "It costs a bond (market.demandBond of ogpu gov parameters): a worker that shows the piece of 1 KiB in time gets it; " +
    "otherwise it comes back, the worker loses its lock and what is reserved of its collateral, and the job goes to another, or, " +
    "where it was paid already, is over. Anybody may demand outputs, as long as the worker answers for them " +
    "(market.liableSeconds after the payment); the client, or whom it named by ogpu job holder, the state of a segment that is " +
    "accepted and not attested.\nExit code 0 when the worker has answered, 1 when it has not.",
  args: [{ name: "job", description: "its number" }],
  options: {
    output: { type: "string", placeholder: "name", description: "which output (default: the first)" },
    state: { type: "string", placeholder: "buffer", description: "instead: a buffer of the state after the segment" },
    tile: { type: "integer", placeholder: "n", description: "of --state: the tile", default: 0, max: 2 ** 31 },
    chunk: {
      type: "integer",
      placeholder: "n",
      description: "which piece, counted from 0 (default: a random one; of --state the first)",
      max: 2 ** 31,
    },
    detach: { type: "flag", description: "do not wait for the answer" },
    rpc: rpcOption,
    ...senderOptions,
  },
  examples: [
    { command: "ogpu job demand 7 --from 0", description: "a random piece of the first output" },
    { command: "ogpu job demand 7 --state field --from 0", description: "of the state between two segments" },
  ],
  async run({ args: [text = ""], options }, { report, progress, style, signal }): Promise<ExitCode> {
    const id = jobNumber(text, PATH);
    if (options.output !== undefined && options.state !== undefined) {
      throw usageError("--output or --state, not both", `See: ${PATH} --help`);
    }
    const session = new MarketSession(options.rpc, await senderKey(options, PATH));
    try {
      const place = await demandedPlace(session, await session.job(id), options, PATH);
      const { bond, by } = await demand(session, id, place);
      const due = new Date(Number(by) * 1_000).toISOString();
      const told = `demanded ${place.what}, for a bond of ${formatOgpu(bond)} oGPU; the answer is due at ${due}`;
      const facts = { job: id, kind: place.kind, item: place.item, chunk: place.chunk, bond, by };
      if (options.detach) {
        report({ ...facts, answered: null }, told);
        return 0;
      }
      progress(told);
      const answered = await awaitAnswer(session, id, place, signal);
      if (answered === undefined) return 1;
      const status = statusName((await session.job(id)).status);
      const text = answered
        ? style.good(`the worker has shown it, so it has the bytes, and the bond. Try again: ogpu job result ${id}`)
        : style.bad(`the worker has not shown it: it pays, the bond is back, and the job is ${status}`);
      report({ ...facts, answered, status }, text);
      return answered ? 0 : 1;
    } finally {
      session.close();
    }
  },
});

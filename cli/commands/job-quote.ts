import { formatOgpu, parseOgpu } from "../../base/units.ts";
import { sizesOf } from "../../compute/agent/provider/policy.ts";
import type { Advice } from "../../compute/agent/router/advise.ts";
import { fuelOf } from "../../compute/program/draw-place.ts";
import { launchesIn } from "../../compute/program/schedule.ts";
import { allowInternalOption } from "../agent/agent-web.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { readValue } from "../failure.ts";
import { adviceOn } from "../job/advice.ts";
import { loadWork } from "../job/work.ts";
import { callRpc, rpcOption } from "../json-rpc-client.ts";
import { factTable } from "../table.ts";
import { checkTerms, termOptions, workOptions } from "./job-options.ts";

const PATH = "ogpu job quote";

interface QuoteJson {
  readonly price: string;
  readonly verification: string;
  readonly total: string;
  readonly lock: string;
  readonly expectedSeconds: string | null;
  readonly devices: string;
  readonly odds: readonly { readonly falsified: string; readonly caught: string }[];
  readonly refereeable: boolean;
}

export const jobQuote: Command = defineCommand({
  name: "quote",
  summary: "Say what a job would cost now, how long it would take, and how likely a cheat would be caught",
  details: "What to compute is said as for ogpu job submit. Nothing is sent.",
  args: [{ name: "model.onnx", description: "the model, unless another option says what to compute", optional: true }],
  options: { rpc: rpcOption, ...workOptions, ...termOptions, allowInternal: allowInternalOption },
  examples: [
    {
      command: "ogpu job quote compute/examples/digits/digits.onnx --input compute/examples/digits/seven.png",
      description: "a task",
    },
  ],
  async run({ args: [model], options }, { report }): Promise<ExitCode> {
    checkTerms(options, PATH);
    const work = await loadWork(model, options, PATH);
    const { program } = work;
    const launches = launchesIn(program.steps);
    const units = fuelOf(program, { first: 0, end: launches });
    const { tier, seats, assurance, segments, budget } = options;
    const wei = budget === undefined ? undefined : readValue("--budget", budget, PATH, parseOgpu);
    const quote = await callRpc<QuoteJson>(options.rpc, "ogpu_quote", [
      {
        ...{ computeUnits: `0x${units.toString(16)}`, tier, seats, assurance },
        ...(wei === undefined ? {} : { budget: `0x${wei.toString(16)}`, segments }),
      },
    ]);
    const { memoryBytes, transferBytes } = sizesOf(program);
    const wanted = { units: Number(units), tier, capabilities: 1n, memoryBytes: BigInt(memoryBytes), transferBytes };
    const advice = await adviceOn(options.rpc, wanted, MAX_ADVICE, options.allowInternal);
    const seconds =
      quote.expectedSeconds === null ? "nobody has done such work yet" : `${BigInt(quote.expectedSeconds)} s`;
    const caught = quote.odds.map(({ falsified, caught: odds }) => {
      return [`who falsifies ${share(falsified)}`, `is caught with a chance of ${share(odds)}`] as const;
    });
    report(
      { program: work.address, computeUnits: units, launches, ...quote, advice },
      factTable([
        ["program", work.address],
        ["compute units", units.toLocaleString("en")],
        ["price", `${formatOgpu(BigInt(quote.price))} oGPU`],
        ["verification", `${formatOgpu(BigInt(quote.verification))} oGPU`],
        [
          "in all",
          `${formatOgpu(BigInt(quote.total))} oGPU, and ${formatOgpu(BigInt(quote.lock))} oGPU locked until it is over`,
        ],
        ["expected time", `${seconds}, ${BigInt(quote.devices)} devices of tier ${tier}`],
        ...caught.map(([name, fact]) => [name, fact] as const),
        ...advice.map(adviceFact),
      ]),
    );
    return 0;
  },
});

/** Providers that are named. */
const MAX_ADVICE = 5;

function adviceFact({ provider, seconds, secondsLate, reliability, roundTrip }: Advice): readonly [string, string] {
  const away = roundTrip === undefined ? "" : `, ${Math.round(roundTrip)} ms away`;
  const time = `${seconds.toFixed(1)} s (${secondsLate.toFixed(1)} s if it is slow)`;
  return [`by ${provider}`, `${time}, ${Math.round(100 * reliability)} % reliable${away}`];
}

/** Of millionths. */
function share(millionths: string): string {
  return `${Number(BigInt(millionths)) / 10_000} %`;
}

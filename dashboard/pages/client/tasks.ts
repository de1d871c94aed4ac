/** Sources of pool tasks, and tasks for them, sent with the reader's wallet. */
import type { Hex } from "viem";
import { readContract } from "viem/actions";
import { market } from "../../state/modules.ts";
import { node } from "../../state/node.ts";
import { sendCall, toldNumber } from "../../wallet/send.ts";
import { readSources } from "./read-market.ts";

export const NO_CALLBACK = { target: `0x${"00".repeat(20)}`, gas: 0n, tip: 0n } as const;

export interface SourceTerms {
  readonly program: Hex;
  readonly tier: number;
  readonly racers: number;
  readonly seats: number;
  /** What a task may cost at most, in wei; none when not given. */
  readonly maxPrice?: bigint;
  readonly taskSeconds?: bigint;
}

const TASK_SECONDS = 60n;
const SPOT_CHECK = 0;

export async function createSource(terms: SourceTerms): Promise<bigint | undefined> {
  const { program, tier, racers, seats, maxPrice = 0n, taskSeconds = TASK_SECONDS } = terms;
  const args = [program, tier, racers, 0n, seats, SPOT_CHECK, maxPrice, taskSeconds];
  const sent = await sendCall({ title: "New source", module: "market", functionName: "createSource", args });
  return sent && toldNumber(sent, "market", "SourceChanged", "source");
}

/** One that is open on these terms, or a new one. */
export async function sourceFor(terms: SourceTerms): Promise<bigint | undefined> {
  const found = (await readSources()).find(
    ({ program, tier, racers, seats, assurance }) =>
      program === terms.program &&
      tier === terms.tier &&
      racers === terms.racers &&
      seats === terms.seats &&
      assurance === SPOT_CHECK,
  );
  return found?.id ?? (await createSource(terms));
}

/** The number of its job. */
export async function submitTask(source: bigint, inputs: readonly string[]): Promise<bigint | undefined> {
  const [, , total, lock] = await readContract(node, { ...market, functionName: "quoteTask", args: [source] });
  const sent = await sendCall({
    ...{ title: "Task", module: "market", functionName: "submitTask", args: [source, inputs, NO_CALLBACK] },
    // Prices move by an eighth at most until the block; what is not needed comes back.
    value: (total * 9n) / 8n + lock,
  });
  return sent && toldNumber(sent, "market", "JobChanged", "job");
}

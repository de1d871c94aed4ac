/** The least gas limit with which a message succeeds. */
import type { StateReader } from "../state/reader.ts";
import type { CallMessage, CallOutcome, MessageCaller } from "./call-message.ts";
import type { BlockEnvironment } from "./environment.ts";

/** The search ends when what is left to gain is below 1/64 of the estimate: half the share that EIP-150 holds back. */
const TOLERANCE = 64n;

export interface GasEstimate {
  readonly gas: bigint;
  /** Of the message with all the gas that it may have. */
  readonly outcome: CallOutcome;
}

/** A failed outcome when the message fails with all the gas that it may have (`message.gasLimit`). */
export async function estimateGas(
  caller: Pick<MessageCaller, "call">,
  state: StateReader,
  environment: BlockEnvironment,
  message: CallMessage,
): Promise<GasEstimate | { readonly failed: CallOutcome }> {
  const succeedsWith = async (gasLimit: bigint): Promise<boolean> =>
    (await caller.call(state, environment, { ...message, gasLimit })).succeeded;
  const most = await caller.call(state, environment, message);
  if (!most.succeeded) return { failed: most };
  // Enough for nearly every message. Not for one that looks at its gas, or hands 63/64 of it on (EIP-150).
  if (await succeedsWith(most.gasNeeded)) return { gas: most.gasNeeded, outcome: most };
  let tooLow = most.gasNeeded;
  let enough = message.gasLimit;
  while (enough - tooLow > enough / TOLERANCE) {
    // Near the lower end first: the answer is seldom more than a few percent above what was used.
    const middle = (tooLow + enough) / 2n;
    const guess = middle < tooLow * 2n ? middle : tooLow * 2n;
    if (await succeedsWith(guess)) enough = guess;
    else tooLow = guess;
  }
  return { gas: enough, outcome: most };
}

/** The market's events of one provider, from the node's index of logs. What was read once is kept. */
import { decodeEventLog, getAbiItem, type Hex, numberToHex, pad, toEventSelector } from "viem";
import { market } from "../../state/modules.ts";
import { ask } from "../../state/node.ts";
import type { ActivityEvent } from "./activity.ts";

/** Blocks that one request may span, and requests for the past of one provider. */
const SPAN = 10_000n;
const MOST_SPANS = 6n;
const { address, abi } = market;
const NAMES = ["RacerDrawn", "Awarded", "Sealed", "Committed", "SegmentPaid"] as const;
const TOPICS = NAMES.map((name) => toEventSelector(getAbiItem({ abi, name })));

interface RawLog {
  readonly topics: [Hex, ...Hex[]];
  readonly data: Hex;
  readonly blockTimestamp: Hex;
}

interface Known {
  readonly upTo: bigint;
  readonly events: readonly ActivityEvent[];
}

const known = new Map<string, Known>();

function eventOf({ topics, data, blockTimestamp }: RawLog): ActivityEvent | undefined {
  const event = decodeEventLog({ abi, topics, data });
  const seconds = Number(blockTimestamp);
  switch (event.eventName) {
    case "RacerDrawn":
      return { kind: "drawn", seconds, job: event.args.job, device: event.args.device };
    case "Awarded":
      return { kind: "awarded", seconds, job: event.args.job };
    case "Sealed":
      return { kind: "sealed", seconds, job: event.args.job };
    case "Committed":
      return { kind: "committed", seconds, job: event.args.job };
    case "SegmentPaid":
      return { kind: "paid", seconds, job: event.args.job, wei: event.args.earned + event.args.minted };
    default:
      return undefined;
  }
}

async function readSpan(account: Hex, from: bigint, to: bigint): Promise<readonly ActivityEvent[]> {
  const logs = await ask<readonly RawLog[]>("eth_getLogs", {
    ...{ address, topics: [TOPICS, null, pad(account, { size: 32 })] },
    ...{ fromBlock: numberToHex(from), toBlock: numberToHex(to) },
  });
  return logs.flatMap((log) => eventOf(log) ?? []);
}

/** Up to the block `head`, in the order of the chain: the last 60,000 blocks at most. */
export async function readActivity(account: Hex, head: bigint): Promise<readonly ActivityEvent[]> {
  const key = account.toLowerCase();
  const oldest = head < SPAN * MOST_SPANS ? 0n : head - SPAN * MOST_SPANS + 1n;
  let { upTo, events } = known.get(key) ?? { upTo: oldest - 1n, events: [] };
  while (upTo < head) {
    const to = upTo + SPAN < head ? upTo + SPAN : head;
    events = [...events, ...(await readSpan(account, upTo + 1n, to))];
    upTo = to;
  }
  // Two questions at once read the same: whoever is further has it all.
  if (upTo > (known.get(key)?.upTo ?? -1n)) known.set(key, { upTo, events });
  return events;
}

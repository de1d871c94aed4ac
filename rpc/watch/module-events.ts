/** The events of native modules in a block, decoded. What none of our ABIs knows is left out. */
import type { Abi } from "viem";
import { decodeEventLog } from "viem/utils";
import { bytesToHex } from "../../base/bytes.ts";
import type { StoredHeader } from "../../chain/store/block-records.ts";
import type { Log } from "../../vm/receipt/log.ts";
import type { ChainReads } from "../chain-view.ts";
import { ogpuModules } from "../client/modules.ts";
import { LogMatcher } from "../log-filter.ts";
import type { ModuleEvent } from "./anomaly.ts";
import { MAX_EVENTS } from "./limits.ts";

const MODULES: ReadonlyMap<string, { readonly name: string; readonly abi: Abi }> = new Map(
  Object.entries(ogpuModules).map(([name, { address, abi }]) => [address, { name, abi }]),
);

const anyModule = new LogMatcher({
  ...{ blockHash: undefined, fromBlock: undefined, toBlock: undefined, topics: [] },
  addresses: [...MODULES.keys()] as never,
});

export function moduleEvents(chain: ChainReads, { header }: StoredHeader): readonly ModuleEvent[] {
  if (!anyModule.mayMatch(header.logsBloom)) return [];
  const events: ModuleEvent[] = [];
  for (const { logs } of chain.receipts(Number(header.number)) ?? []) {
    for (const log of logs) {
      const event = eventOf(log);
      if (event !== undefined) events.push(event);
      if (events.length === MAX_EVENTS) return events;
    }
  }
  return events;
}

function eventOf({ address, topics, data }: Log): ModuleEvent | undefined {
  const module = MODULES.get(address);
  if (module === undefined) return undefined;
  try {
    const { eventName, args } = decodeEventLog({
      abi: module.abi,
      topics: topics as never,
      data: bytesToHex(data),
    });
    return { module: module.name, name: eventName ?? "", args: (args ?? {}) as ModuleEvent["args"] };
  } catch {
    // A module emits what its interface has; an older interface may know less than the chain.
    return undefined;
  }
}

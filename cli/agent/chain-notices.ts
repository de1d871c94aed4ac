/** Which jobs, rounds and sources the logs of modules speak of. */
import { type Abi, type AbiEvent, toEventSelector } from "viem";
import type { Hex } from "../../base/bytes.ts";
import { ogpuModules } from "../../rpc/client/modules.ts";

export interface LogJson {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

export interface Concerned {
  readonly jobs: readonly bigint[];
  readonly rounds: readonly bigint[];
  readonly sources: readonly bigint[];
}

const WATCHED = ["market", "verification"] as const;

/** Where agents look. */
export const WATCHED_ADDRESSES: readonly Hex[] = WATCHED.map((name) => ogpuModules[name].address);

/** By address and first topic: the names of what the further topics are. */
const NAMES: ReadonlyMap<string, readonly (string | undefined)[]> = new Map(
  WATCHED.flatMap((module) => {
    const { address, abi } = ogpuModules[module];
    const events = (abi as Abi).filter((item): item is AbiEvent => item.type === "event");
    return events.map((event) => {
      const names = event.inputs.filter(({ indexed }) => indexed === true).map(({ name }) => name);
      return [address + toEventSelector(event), names] as const;
    });
  }),
);

export function concernedBy(logs: readonly LogJson[]): Concerned {
  const found = { job: new Set<bigint>(), round: new Set<bigint>(), source: new Set<bigint>() };
  for (const { address, topics } of logs) {
    const names = NAMES.get(address.toLowerCase() + topics[0]) ?? [];
    for (const [index, name] of names.entries()) {
      if (name === "job" || name === "round" || name === "source") found[name].add(BigInt(topics[index + 1] ?? 0));
    }
  }
  return { jobs: [...found.job], rounds: [...found.round], sources: [...found.source] };
}

/** Ends a provider on chain: out of its sources, without devices, and with all its collateral on its way back. */
import { CodedError } from "../../base/errors.ts";
import { requireDone } from "./module-sender.ts";
import type { NodeChain } from "./node-chain.ts";

const STATUS = { none: 0, leaving: 3 } as const;
/** Entries of one answer. */
const PAGE = 100;

export interface Leaving {
  /** Sources that it has left, and those in which it races still. */
  readonly left: readonly bigint[];
  readonly racing: readonly bigint[];
  readonly devices: readonly bigint[];
  readonly wasLeaving: boolean;
}

/**
 * Whatever of it was done before is not done again, so it can be called until nothing is left. Throws PROVIDER_UNKNOWN, and
 * what the chain refuses.
 */
export async function leaveProvider(chain: NodeChain, progress: (text: string) => void): Promise<Leaving> {
  const { account, link, transactions } = chain;
  const found = await link.readModule({ module: "providers", functionName: "providerOf", args: [account] });
  if (found.status === STATUS.none) {
    throw new CodedError("PROVIDER_UNKNOWN", `${account} is not registered as a provider`);
  }
  const wasLeaving = found.status === STATUS.leaving;
  // Nobody draws it between one step and the next.
  if (found.available) await requireDone(transactions, { module: "providers", name: "pause", args: [] });
  const { left, racing } = await leaveSources(chain, progress);
  const devices = wasLeaving ? [] : await removeDevices(chain, progress);
  if (!wasLeaving) {
    progress("leaving");
    await requireDone(transactions, { module: "providers", name: "exit", args: [] });
  }
  return { left, racing, devices, wasLeaving };
}

/** The lock behind a place is free again once it is given up; of one that races, when the race is over. */
async function leaveSources(
  chain: NodeChain,
  progress: (text: string) => void,
): Promise<Pick<Leaving, "left" | "racing">> {
  const [left, racing]: [bigint[], bigint[]] = [[], []];
  for (const { source, device, job } of await chain.memberships(PAGE)) {
    if (job !== 0n) {
      racing.push(source);
      continue;
    }
    progress(`leaving source ${source}`);
    const outcome = await chain.send({ kind: "leaveSource", source, device });
    (outcome.kind === "done" ? left : racing).push(source);
  }
  return { left, racing };
}

async function removeDevices(
  { account, link, transactions }: NodeChain,
  progress: (text: string) => void,
): Promise<readonly bigint[]> {
  const args = [account, 0n, BigInt(PAGE)] as const;
  const devices = await link.readModule({ module: "providers", functionName: "devicesOf", args });
  for (const { id } of devices) {
    progress(`removing device ${id}`);
    await requireDone(transactions, { module: "providers", name: "removeDevice", args: [id] });
  }
  return devices.map(({ id }) => id);
}

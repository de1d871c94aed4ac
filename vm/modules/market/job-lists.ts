/** Jobs of a client, and jobs that somebody raced for or was assigned to: in the order in which they came. */
import type { Address } from "../../state/account.ts";
import type { ModuleCall } from "../module-call.ts";
import { fieldSlot, slotOf } from "../storage.ts";

type ListName = "jobs of client" | "jobs of worker";

function append(call: ModuleCall, list: ListName, account: Address, job: bigint): void {
  const base = slotOf(list, account);
  const count = call.read(base);
  call.write(fieldSlot(base, Number(count) + 1), job);
  call.write(base, count + 1n);
}

export function addToClientList(call: ModuleCall, client: Address, job: bigint): void {
  append(call, "jobs of client", client, job);
}

/** Once for each job, though somebody may be drawn for it again. */
export function addToWorkerList(call: ModuleCall, worker: Address, job: bigint): void {
  const base = slotOf("jobs of worker", worker);
  const count = Number(call.read(base));
  if (count > 0 && call.read(fieldSlot(base, count)) === job) return;
  append(call, "jobs of worker", worker, job);
}

export function jobListLength(call: ModuleCall, list: ListName, account: Address): number {
  return Number(call.read(slotOf(list, account)));
}

/** Position 0 is the newest. */
export function jobListAt(call: ModuleCall, list: ListName, account: Address, position: number): bigint {
  const base = slotOf(list, account);
  return call.read(fieldSlot(base, jobListLength(call, list, account) - position));
}

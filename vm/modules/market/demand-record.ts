/** Demands for chunks, numbered, with a list of those of each job that wait for an answer. */
import type { Hex } from "../../../base/bytes.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import type { ModuleCall } from "../module-call.ts";
import { packedWord } from "../staking/packed-word.ts";
import { listSpace, recordSpace, slotOf } from "../storage.ts";
import { DEMAND_STATUS } from "./numbers.ts";

/** What is demanded. */
export interface DemandKey {
  readonly job: bigint;
  readonly kind: number;
  readonly item: number;
  readonly chunk: bigint;
}

export interface Demand extends DemandKey {
  readonly id: bigint;
  readonly demander: Address;
  readonly accused: Address;
  readonly bond: bigint;
  readonly by: bigint;
  readonly status: number;
}

const words = recordSpace("demand", ["what", "demander", "accused", "bond"]);
const whatWord = packedWord({ job: 64, kind: 8, item: 32, chunk: 64, by: 48, status: 8 });
const DEMAND_COUNT: Hex = slotOf("demand count");
/** Of a job, those that wait for an answer. */
const open = listSpace("open demands");

function numberSlot({ job, kind, item, chunk }: DemandKey): Hex {
  return slotOf("demand number", job, kind, item, chunk);
}

export function demandAt(call: ModuleCall, id: bigint): Demand {
  const { job, kind, item, chunk, by, status } = whatWord.unpack(words.get(call, "what", id));
  return {
    id,
    job,
    kind: Number(kind),
    item: Number(item),
    chunk,
    demander: wordToAddress(words.get(call, "demander", id)),
    accused: wordToAddress(words.get(call, "accused", id)),
    bond: words.get(call, "bond", id),
    by,
    status: Number(status),
  };
}

/** The last one for this chunk; `undefined` if nobody ever demanded it. */
export function findDemand(call: ModuleCall, key: DemandKey): Demand | undefined {
  const id = call.read(numberSlot(key));
  return id === 0n ? undefined : demandAt(call, id);
}

export function addDemand(call: ModuleCall, demand: Omit<Demand, "id" | "status">): bigint {
  const id = call.read(DEMAND_COUNT) + 1n;
  call.write(DEMAND_COUNT, id);
  words.set(call, "demander", addressToWord(demand.demander), id);
  words.set(call, "accused", addressToWord(demand.accused), id);
  words.set(call, "bond", demand.bond, id);
  writeWhat(call, { ...demand, id, status: DEMAND_STATUS.waits });
  call.write(numberSlot(demand), id);
  open.add(call, id, demand.job);
  return id;
}

export function closeDemand(call: ModuleCall, demand: Demand, status: number): void {
  writeWhat(call, { ...demand, status });
  open.remove(call, demand.id, demand.job);
}

function writeWhat(call: ModuleCall, { id, job, kind, item, chunk, by, status }: Demand): void {
  const what = { job, kind: BigInt(kind), item: BigInt(item), chunk, by, status: BigInt(status) };
  words.set(call, "what", whatWord.pack(what), id);
}

export function openDemands(call: ModuleCall, job: bigint): readonly Demand[] {
  return Array.from({ length: open.length(call, job) }, (_, index) => demandAt(call, open.at(call, index, job)));
}

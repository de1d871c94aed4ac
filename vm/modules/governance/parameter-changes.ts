/** Proposals that give parameters of the economy other values. */
import { bytesToBigint, utf8 } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { type NamedParameter, PARAMETERS, parameterValue, withParameters } from "../../../genesis/economy.ts";
import { verifyEconomy, type Waits } from "../../../genesis/verify-economy.ts";
import { governanceAbi } from "../../interfaces/abi/governance.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { changeParameters } from "../parameter-store.ts";
import { type RecordSpace, recordSpace } from "../storage.ts";
import { MAX_CHANGES, VERIFY_GAS } from "./limits.ts";

export type ParameterChange = readonly [NamedParameter, bigint];

const changeCounts: RecordSpace<"count"> = recordSpace("change count", ["count"]);
/** The parameter by the hash of its name: positions move when a later program has more of them. */
const changeRecords: RecordSpace<"name" | "value"> = recordSpace("change", ["name", "value"]);

const BY_NAME: ReadonlyMap<string, NamedParameter> = new Map(PARAMETERS.map((each) => [each.name, each]));
const BY_HASH: ReadonlyMap<bigint, NamedParameter> = new Map(PARAMETERS.map((each) => [hashOfName(each.name), each]));

function hashOfName(name: string): bigint {
  return bytesToBigint(keccak256(utf8(name)));
}

/** Reverts with UnknownParameter. */
export function parameterNamed(name: string): NamedParameter {
  const parameter = BY_NAME.get(name);
  if (parameter === undefined) throw revertWith(governanceAbi, "UnknownParameter", [name]);
  return parameter;
}

/** Reverts unless the changes are such as could be made now. */
export function checkChanges(
  call: ModuleCall,
  names: readonly string[],
  values: readonly bigint[],
  waits: Waits,
): readonly ParameterChange[] {
  if (names.length !== values.length || names.length === 0 || names.length > MAX_CHANGES) {
    const counts = [names.length, values.length, MAX_CHANGES].map(BigInt) as [bigint, bigint, bigint];
    throw revertWith(governanceAbi, "WrongNumberOfChanges", counts);
  }
  const changes = new Map<NamedParameter, bigint>();
  for (const [index, name] of names.entries()) {
    const parameter = parameterNamed(name);
    if (changes.has(parameter)) throw revertWith(governanceAbi, "RepeatedParameter", [name]);
    changes.set(parameter, values[index] ?? 0n);
  }
  const problem = problemOf(call, changes, waits);
  if (problem !== undefined) throw revertWith(governanceAbi, "InvalidParameters", [problem.name, problem.message]);
  return [...changes];
}

export function writeChanges(call: ModuleCall, id: bigint, changes: readonly ParameterChange[]): void {
  changeCounts.set(call, "count", BigInt(changes.length), id);
  for (const [index, [{ name }, value]] of changes.entries()) {
    changeRecords.set(call, "name", hashOfName(name), id, index);
    changeRecords.set(call, "value", value, id, index);
  }
}

export function readChanges(call: ModuleCall, id: bigint): readonly ParameterChange[] {
  return Array.from({ length: Number(changeCounts.get(call, "count", id)) }, (_, index) => {
    const parameter = BY_HASH.get(changeRecords.get(call, "name", id, index));
    assert(parameter !== undefined, "no parameter ever leaves the table");
    return [parameter, changeRecords.get(call, "value", id, index)] as const;
  });
}

/** Answers with why not, if so: what has changed since the proposal may not go together with it. */
export function makeChanges(call: ModuleCall, id: bigint, waits: Waits): string | undefined {
  const changes = readChanges(call, id);
  const problem = problemOf(call, changes, waits);
  if (problem !== undefined) return `${problem.name} ${problem.message}`;
  const before = call.parameters;
  changeParameters(call, changes);
  for (const [parameter, value] of changes) {
    const args = { id, name: parameter.name, before: parameterValue(before, parameter), value };
    call.emit(governanceAbi, "ParameterChanged", args);
  }
  return undefined;
}

/** The first thing that is wrong with the whole economy, by the function that verifies genesis. */
function problemOf(
  call: ModuleCall,
  changes: Iterable<ParameterChange>,
  waits: Waits,
): { readonly name: string; readonly message: string } | undefined {
  call.charge(VERIFY_GAS);
  const problems: { name: string; message: string }[] = [];
  verifyEconomy(withParameters(call.parameters, changes), waits, (path, message) => {
    problems.push({ name: path.replace("$.modules.", ""), message });
  });
  return problems[0];
}

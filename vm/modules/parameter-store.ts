/**
 * The economy's parameters as they are now: those of the chain spec, and what governance has changed of them. The
 * changes are slots of the governance module, one per parameter, named by it and holding the value plus one; a digest of
 * all changes says whether they have to be read again.
 */
import { bytes32, bytesToBigint, concatBytes, type Hex, hexToBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { type EconomyParameters, type NamedParameter, PARAMETERS, withParameters } from "../../genesis/economy.ts";
import type { StateReader } from "../state/reader.ts";
import { GOVERNANCE_ADDRESS } from "./addresses.ts";
import type { ModuleCall } from "./module-call.ts";
import { slotOf } from "./storage.ts";

const SPACE = "parameters";
const DIGEST_SLOT: Hex = slotOf(SPACE, "digest");
/** By name, so that a change stays with its parameter when a later version of the table has more of them. */
const SLOTS: readonly (readonly [NamedParameter, Hex])[] = PARAMETERS.map((parameter) => [
  parameter,
  changeSlot(parameter),
]);

function changeSlot({ name }: NamedParameter): Hex {
  return slotOf(SPACE, "change", name);
}

/** Current values over the spec's own; remembers the last ones it has read. */
export class ParameterStore {
  readonly #spec: EconomyParameters;
  #digest = 0n;
  #current: EconomyParameters;

  constructor(spec: EconomyParameters) {
    this.#spec = spec;
    this.#current = spec;
  }

  current(state: StateReader): EconomyParameters {
    const digest = bytesToBigint(state.storage(GOVERNANCE_ADDRESS, DIGEST_SLOT));
    if (digest === this.#digest) return this.#current;
    const words = readWords((slot) => bytesToBigint(state.storage(GOVERNANCE_ADDRESS, slot)));
    const current = withParameters(this.#spec, valuesOf(words));
    // A caller may have made the state up: what it says under a digest of something else is not kept for others.
    if (digestOf(words) !== digest) return current;
    this.#current = current;
    this.#digest = digest;
    return current;
  }
}

/** For governance alone, which has verified the whole that it makes. Takes effect at once. */
export function changeParameters(call: ModuleCall, values: Iterable<readonly [NamedParameter, bigint]>): void {
  const governance = call.in(GOVERNANCE_ADDRESS);
  for (const [parameter, value] of values) governance.write(changeSlot(parameter), value + 1n);
  governance.write(DIGEST_SLOT, digestOf(readWords((slot) => governance.read(slot))));
}

/** What the slots hold of parameters that were ever changed. */
type Words = readonly (readonly [NamedParameter, Hex, bigint])[];

function readWords(read: (slot: Hex) => bigint): Words {
  return SLOTS.map(([parameter, slot]) => [parameter, slot, read(slot)] as const).filter(([, , word]) => word > 0n);
}

function* valuesOf(words: Words): Iterable<readonly [NamedParameter, bigint]> {
  for (const [parameter, , word] of words) yield [parameter, word - 1n];
}

/** Of the changed ones alone, so that it stays what it is when the table grows; 0 when there are none. */
function digestOf(words: Words): bigint {
  if (words.length === 0) return 0n;
  return bytesToBigint(keccak256(concatBytes(...words.flatMap(([, slot, word]) => [hexToBytes(slot), bytes32(word)]))));
}

import { describe, expect, it } from "vitest";
import { bigintToBytes, bytesToBigint, type Hex } from "../../../base/bytes.ts";
import { type NamedParameter, PARAMETERS, parameterValue } from "../../../genesis/economy.ts";
import { GOVERNANCE_ADDRESS } from "../../../vm/modules/addresses.ts";
import { ModuleCall } from "../../../vm/modules/module-call.ts";
import { changeParameters, ParameterStore } from "../../../vm/modules/parameter-store.ts";
import { slotOf } from "../../../vm/modules/storage.ts";
import { GrowingOverlay } from "../../../vm/state/growing-overlay.ts";
import { MemoryState } from "../../../vm/state/memory-state.ts";
import type { StateReader } from "../../../vm/state/reader.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";
import { sampleSpec } from "../../genesis/support/sample-spec.ts";

const { modules } = sampleSpec();
const [PARAMETER, OTHER] = PARAMETERS as unknown as [NamedParameter, NamedParameter];
const DIGEST = slotOf("parameters", "digest");
const EMPTY: StateReader = new MemoryState();

/** After a change by governance. */
function changed(parameter: NamedParameter, value: bigint): StateReader {
  const state = new WorkingState(EMPTY);
  const environment = {} as Parameters<typeof ModuleCall.ofProtocol>[2];
  changeParameters(ModuleCall.ofProtocol({ address: GOVERNANCE_ADDRESS }, state, environment), [[parameter, value]]);
  return state;
}

/** As a caller of eth_call may make it up. */
function overridden(state: StateReader, slots: readonly (readonly [Hex, bigint])[]): StateReader {
  const overlay = new GrowingOverlay(state);
  for (const [slot, word] of slots) overlay.setSlot(GOVERNANCE_ADDRESS, slot, bigintToBytes(word));
  return overlay;
}

function change(parameter: NamedParameter, value: bigint): readonly [Hex, bigint] {
  return [slotOf("parameters", "change", parameter.name), value + 1n];
}

describe("the store of parameters", () => {
  it("gives the spec's, and after a change the new one, in whatever order states are asked", () => {
    const store = new ParameterStore(modules);
    const [first, second] = [changed(PARAMETER, 41n), changed(PARAMETER, 42n)];
    for (const [state, value] of [
      [EMPTY, parameterValue(modules, PARAMETER)],
      [first, 41n],
      [second, 42n],
      [first, 41n],
      [EMPTY, parameterValue(modules, PARAMETER)],
    ] as const) {
      expect(parameterValue(store.current(state), PARAMETER)).toBe(value);
    }
  });

  it("keeps nothing of a state that somebody made up under the digest of another", () => {
    for (const honest of [EMPTY, changed(OTHER, 7n)]) {
      const store = new ParameterStore(modules);
      const expected = new ParameterStore(modules).current(honest);
      const digest = bytesToBigint(honest.storage(GOVERNANCE_ADDRESS, DIGEST));
      store.current(overridden(honest, [[DIGEST, 99n]]));
      store.current(overridden(honest, [[DIGEST, digest], change(PARAMETER, 1n)]));
      expect(store.current(honest)).toEqual(expected);
    }
  });
});

/** What verified work mints never takes what validators may still get, however governance shifts the emission between them. */
import { expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { OGPU } from "../../../base/units.ts";
import type { EconomyParameters } from "../../../genesis/economy.ts";
import { emissionUpTo } from "../../../genesis/emission.ts";
import type { BlockEnvironment } from "../../../vm/execution/environment.ts";
import { MARKET_ADDRESS } from "../../../vm/modules/addresses.ts";
import { countWorkEmission, mintForWork } from "../../../vm/modules/market/work-emission.ts";
import { ModuleCall } from "../../../vm/modules/module-call.ts";
import { mintEmission } from "../../../vm/modules/token/token.ts";
import { MemoryState } from "../../../vm/state/memory-state.ts";
import { WorkingState } from "../../../vm/state/working-state.ts";

const EPOCH = 10n;
const WHOLE = 1_000_000n;

it.each([1, 2, 3, 4, 5])(
  "validators can mint their share of every epoch, all of it if they come to have it: seed %i",
  (seed) => {
    const random = new Prng(`emission ${seed}`);
    const token = { cap: 21_000_000n * OGPU, emission: { initialPerBlock: 1_000n, halvingBlocks: 100n } };
    const state = new WorkingState(new MemoryState());
    let finaliserShare = 500_000n;
    const current = () => ({ staking: { finaliserShare } }) as EconomyParameters;
    const at = (number: bigint): ModuleCall =>
      ModuleCall.ofProtocol({ address: MARKET_ADDRESS, parameters: { current } }, state, {
        number,
      } as BlockEnvironment);
    let forWork = 0n;
    for (let number = 1n; number <= 600n; number++) {
      if (random.below(4) === 0) finaliserShare = [0n, 333_333n, WHOLE][random.below(3)] as bigint;
      if (random.below(2) === 0) forWork += mintForWork(at(number), token, BigInt(random.below(5_000)));
      if (number % EPOCH !== 0n) continue;
      // Votes are counted a block later: the last block of an epoch counts in the next.
      const [first, last] = [number - EPOCH - 1n, number - 1n];
      const counted = emissionUpTo(token.emission, last) - emissionUpTo(token.emission, first);
      // Asserts that the schedule is kept.
      mintEmission(at(number), token, (counted * finaliserShare) / WHOLE);
      countWorkEmission(at(number), token);
      expect(state.minted).toBeLessThanOrEqual(emissionUpTo(token.emission, number));
    }
    expect(forWork).toBeGreaterThan(0n);
  },
);

/**
 * The part of the emission that is for verified work. It is counted when an epoch ends, after validators had theirs, so
 * that work never mints what they may still get; and for a job never more is minted than was burned of its price, or
 * paying oneself would pay. docs/spec/market.md, "Emission".
 */
import type { Hex } from "../../../base/bytes.ts";
import { WHOLE } from "../../../genesis/economy.ts";
import { emissionUpTo } from "../../../genesis/emission.ts";
import type { ModuleCall } from "../module-call.ts";
import { slotOf } from "../storage.ts";
import { mintEmission, mintedSoFar, type TokenParameters } from "../token/token.ts";

/** What may be minted, and the block up to which it was counted. */
const POT: Hex = slotOf("work emission");
const COUNTED: Hex = slotOf("work emission counted");

/** At the end of an epoch, after staking. */
export function countWorkEmission(call: ModuleCall, { emission }: TokenParameters): void {
  const { number } = call.environment;
  const passed = emissionUpTo(emission, number) - emissionUpTo(emission, call.read(COUNTED));
  const { finaliserShare } = call.parameters.staking;
  const forFinalisers = (passed * finaliserShare + WHOLE - 1n) / WHOLE;
  call.write(POT, call.read(POT) + passed - forFinalisers);
  call.write(COUNTED, number);
}

/**
 * Mints up to `most` into the market's account; says how much. The emission of the running epoch, and two blocks of the one
 * before (votes are counted a block later), are left to validators whatever their share becomes.
 */
export function mintForWork(call: ModuleCall, token: TokenParameters, most: bigint): bigint {
  const pot = call.read(POT);
  if (pot === 0n || most === 0n) return 0n;
  const { emission } = token;
  const room = emissionUpTo(emission, call.read(COUNTED)) - 2n * emission.initialPerBlock - mintedSoFar(call);
  const amount = [most, pot, room].reduce((least, value) => (value < least ? value : least));
  if (amount <= 0n) return 0n;
  call.write(POT, pot - amount);
  mintEmission(call, token, amount);
  return amount;
}

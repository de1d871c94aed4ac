/**
 * The token module: how much oGPU there is, was minted and was burned, and how much will ever be. Other modules mint
 * through it what the schedule of emission allows. Balances themselves are ordinary account balances.
 */
import { bigintToBytes, bytes32, bytesToBigint, bytesToHex, type Hex } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { type EmissionSchedule, emissionOfBlock, emissionUpTo, totalEmission } from "../../../genesis/emission.ts";
import { tokenAbi } from "../../interfaces/abi/token.ts";
import type { StateReader } from "../../state/reader.ts";
import type { WorkingState } from "../../state/working-state.ts";
import { TOKEN_ADDRESS } from "../addresses.ts";
import { defineModule, type NativeModule } from "../module.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";

const MINTED_SLOT: Hex = bytesToHex(bytes32(0n));
const BURNED_SLOT: Hex = bytesToHex(bytes32(1n));
const GENESIS_SLOT: Hex = bytesToHex(bytes32(2n));

export interface TokenParameters {
  readonly cap: bigint;
  readonly emission: EmissionSchedule;
}

/** Totals at the end of a block: genesis + minted - burned is the sum of all balances. */
export interface Supply {
  readonly genesis: bigint;
  readonly minted: bigint;
  readonly burned: bigint;
}

export function readSupply(state: StateReader): Supply {
  const read = (slot: Hex): bigint => bytesToBigint(state.storage(TOKEN_ADDRESS, slot));
  return { genesis: read(GENESIS_SLOT), minted: read(MINTED_SLOT), burned: read(BURNED_SLOT) };
}

/** Called once, when the genesis state is built. */
export function writeGenesisSupply(state: WorkingState, supply: bigint): void {
  state.setStorage(TOKEN_ADDRESS, GENESIS_SLOT, bigintToBytes(supply));
}

function minted(call: ModuleCall): bigint {
  return call.read(MINTED_SLOT) + call.supplyInBlock().minted;
}

/** Up to now, in this block too. */
export function mintedSoFar(call: ModuleCall): bigint {
  return minted(call.in(TOKEN_ADDRESS));
}

function burned(call: ModuleCall): bigint {
  return call.read(BURNED_SLOT) + call.supplyInBlock().burned;
}

export function createTokenModule({ cap, emission }: TokenParameters): NativeModule {
  return defineModule({
    name: "token",
    address: TOKEN_ADDRESS,
    abi: tokenAbi,
    handlers: {
      name: () => "OpenGPU",
      symbol: () => "oGPU",
      decimals: () => 18,
      cap: () => cap,
      genesisSupply: (call) => call.read(GENESIS_SLOT),
      totalSupply: (call) => call.read(GENESIS_SLOT) + minted(call) - burned(call),
      minted,
      burned,
      emissionOf: (_call, blockNumber) => emissionOfBlock(emission, blockNumber),
      emissionLeft: (call) => totalEmission(emission) - minted(call),
      balanceOf: (call, account) => call.balance(account.toLowerCase() as Hex),
      burn: (call) => {
        const { caller, value } = call.message;
        if (value === 0n) throw revertWith(tokenAbi, "NothingSent", []);
        call.burn(value);
        call.emit(tokenAbi, "Burned", { account: caller, amount: value });
      },
    },
    endBlock: addTotals,
  });
}

/**
 * New money for the account of the calling module, for work in blocks up to this one. The caller has computed its part
 * of the emission; here is the last line of the cap.
 */
export function mintEmission(call: ModuleCall, { cap, emission }: TokenParameters, amount: bigint): void {
  if (amount === 0n) return;
  const token = call.in(TOKEN_ADDRESS);
  const total = minted(token) + amount;
  assert(total <= emissionUpTo(emission, call.environment.number), "no more is minted than the schedule allows");
  assert(token.read(GENESIS_SLOT) + total <= cap, "the supply stays within its cap");
  call.mint(amount);
}

/** Adds the block's mints and burns to the totals: the last of all hooks. */
function addTotals(call: ModuleCall): void {
  const { minted, burned } = call.supplyInBlock();
  if (minted > 0n) call.write(MINTED_SLOT, call.read(MINTED_SLOT) + minted);
  if (burned > 0n) call.write(BURNED_SLOT, call.read(BURNED_SLOT) + burned);
}

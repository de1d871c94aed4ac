/** A round on a chain whose gas is dear: what those whose turn it is send, and somebody who fills blocks. */
import { encodeFunctionData } from "viem";
import { bytesToHex, type Hex, hexToBytes } from "../../../../base/bytes.ts";
import { GWEI } from "../../../../base/units.ts";
import type { RecoveredTransaction } from "../../../../vm/execution/execute-block.ts";
import { verificationAbi } from "../../../../vm/interfaces/abi/verification.ts";
import { VERIFICATION_ADDRESS } from "../../../../vm/modules/addresses.ts";
import { sealOf } from "../../../../vm/modules/verification/seals.ts";
import type { Address } from "../../../../vm/state/account.ts";
import { accountKey, type SendOptions } from "../../support/economy-chain.ts";
import type { TestKey } from "../../support/test-chain.ts";
import { type Asked, VerificationWorld, WORKER } from "./verification-world.ts";

export const BLOCK_GAS = 60_000_000n;
/** A fifth, by the devnet's parameters. */
export const RESERVED_GAS = 12_000_000n;
export const FLOOR: bigint = GWEI;
export const DEAR: bigint = 500n * GWEI;
/** What those whose turn it is can pay: the floor, and little more. */
export const POOR: bigint = 2n * GWEI;
export const SPAMMER: TestKey = accountKey(19);
/** Its code is INVALID: a call takes all its gas. */
const INIT_CODE: Hex = "0x60fe60005360016000f3";

export class BusyChain {
  readonly world: VerificationWorld;
  readonly round: bigint;
  readonly #waste: Address;

  /** The seats of a round are drawn; from then on gas is dear. */
  constructor(verifiers = 5) {
    this.world = new VerificationWorld({ verifiers });
    this.#waste = this.world.chain.deploy(hexToBytes(INIT_CODE), { key: SPAMMER, gasLimit: 1_000_000n });
    this.round = this.world.begin();
    this.world.draw(this.round);
    this.world.chain.baseFee = DEAR;
  }

  send(
    functionName: "seal" | "open" | "reveal" | "publishSeed",
    args: readonly unknown[],
    options: SendOptions,
    offset = 0,
  ): RecoveredTransaction {
    const data = hexToBytes(encodeFunctionData({ abi: verificationAbi, functionName, args: args as never }));
    const usual = { gasLimit: 1_000_000n, maxFee: POOR };
    return this.world.chain.transaction(VERIFICATION_ADDRESS, data, { ...usual, ...options }, offset);
  }

  /** The seats of each verifier that has any. */
  seatsByVerifier(): readonly (readonly [TestKey, readonly Asked[]])[] {
    const seats = this.world.seats(this.round);
    return [...new Set(seats.map(({ verifier }) => verifier))].map((verifier) => [
      this.world.keyOf(verifier),
      seats.filter((seat) => seat.verifier === verifier),
    ]);
  }

  seal(key: TestKey, asked: readonly Asked[], options: SendOptions = {}, offset = 0): RecoveredTransaction {
    const { round, world } = this;
    const seals = asked.map((each) => {
      const answer = world.answer(round, each, world.work.truth(each.launch, each.tile));
      return { seat: each.seat, hash: sealOf(key.address, round, answer) };
    });
    return this.send("seal", [round, seals], { key, ...options }, offset);
  }

  reveal(key: TestKey, asked: readonly Asked[], options: SendOptions = {}, offset = 0): RecoveredTransaction {
    const { round, world } = this;
    const answers = asked.map((each) => world.answer(round, each, world.work.truth(each.launch, each.tile)));
    return this.send("reveal", [round, answers], { key, ...options }, offset);
  }

  open(options: SendOptions = {}, offset = 0): RecoveredTransaction {
    const { round, world } = this;
    const openings = world.seats(round).map(({ seat, launch, tile }) => world.work.open(seat, launch, tile));
    return this.send("open", [round, openings], { key: WORKER, ...options }, offset);
  }

  publish(options: SendOptions = {}): RecoveredTransaction {
    return this.send("publishSeed", [this.round, bytesToHex(this.world.work.seed)], { key: WORKER, ...options });
  }

  /** Uses exactly that gas. */
  spam(gasLimit: bigint, offset = 0, tip = 0n): RecoveredTransaction {
    const { chain } = this.world;
    const fees = { maxFee: 4n * chain.baseFee, tip };
    return chain.transaction(this.#waste, new Uint8Array([1]), { key: SPAMMER, gasLimit, ...fees }, offset);
  }
}

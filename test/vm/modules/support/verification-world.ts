/**
 * A chain with verifiers, a published program and a stub in the market's place, for tests of verification by real
 * transactions: rounds begin, everybody answers as the test says, and blocks pass.
 */
import { type ContractFunctionReturnType, encodeFunctionData, type ParseAbi, parseAbi } from "viem";
import { bytesToHex, type Hex, hexToBytes, utf8 } from "../../../../base/bytes.ts";
import { assert } from "../../../../base/errors.ts";
import { sha256 } from "../../../../base/sha256.ts";
import { OGPU } from "../../../../base/units.ts";
import { encodeProgram } from "../../../../compute/program/codec.ts";
import type { Program } from "../../../../compute/program/types.ts";
import type { EconomyParameters } from "../../../../genesis/economy.ts";
import { programsAbi } from "../../../../vm/interfaces/abi/programs.ts";
import { verificationAbi } from "../../../../vm/interfaces/abi/verification.ts";
import { verifiersAbi } from "../../../../vm/interfaces/abi/verifiers.ts";
import {
  MARKET_ADDRESS,
  PROGRAMS_ADDRESS,
  VERIFICATION_ADDRESS,
  VERIFIERS_ADDRESS,
} from "../../../../vm/modules/addresses.ts";
import { defineModule, type NativeModule } from "../../../../vm/modules/module.ts";
import type { ModuleCall } from "../../../../vm/modules/module-call.ts";
import { beginRound } from "../../../../vm/modules/verification/begin.ts";
import { takeDecided } from "../../../../vm/modules/verification/outbox.ts";
import {
  type DecidedRound,
  PHASE,
  type RefereeVerdict,
  type RoundRequest,
} from "../../../../vm/modules/verification/round-types.ts";
import { sealOf } from "../../../../vm/modules/verification/seals.ts";
import { onVerdict, openChallenge } from "../../../../vm/modules/verification/verdict.ts";
import type { Address } from "../../../../vm/state/account.ts";
import { accountKey, EconomyChain, type Target } from "../../support/economy-chain.ts";
import type { TestKey } from "../../support/test-chain.ts";
import { stepProgram } from "./step-program.ts";
import { TracedWork, type WorkOptions } from "./traced-work.ts";

export const VERIFICATION: Target<typeof verificationAbi> = { address: VERIFICATION_ADDRESS, abi: verificationAbi };
export const VERIFIERS: Target<typeof verifiersAbi> = { address: VERIFIERS_ADDRESS, abi: verifiersAbi };
const PROGRAMS = { address: PROGRAMS_ADDRESS, abi: programsAbi } as const;
const SIGNATURES = [
  "function begin() payable returns (uint256)",
  "function challenge(uint256 round)",
  "function verdict()",
  "error BadCommitment()",
  "error WrongPhase(uint256 round, uint8 phase)",
  "error TooLate(uint256 by, uint256 time)",
] as const;
export const STUB: Target<ParseAbi<typeof SIGNATURES>> = { address: MARKET_ADDRESS, abi: parseAbi(SIGNATURES) };

export const CLIENT: TestKey = accountKey(0);
export const WORKER: TestKey = accountKey(1);
/** Verifier `index`; there are as many as accounts with money, less the parties. */
export const verifierKey = (index: number): TestKey => accountKey(2 + index);
export const MOST_VERIFIERS = 18;

export const SEAT_FEE: bigint = OGPU / 10n;
export const STAKE: bigint = 100n * OGPU;

/** A seat as somebody who answers it sees it. */
export interface Asked {
  readonly seat: number;
  readonly verifier: Hex;
  readonly launch: number;
  readonly tile: number;
}

/** What a verifier says of its tile; `undefined`: nothing. */
export type Opinion = (asked: Asked) => Hex | undefined;

export interface WorldOptions {
  readonly verifiers?: number;
  /** Of verifier `index`. */
  readonly stakeOf?: (index: number) => bigint;
  readonly parameters?: Partial<EconomyParameters["verification"]>;
  readonly program?: Program;
}

export interface BeginOptions extends WorkOptions {
  readonly seats?: number;
  readonly tier?: 0 | 1;
  readonly seatFee?: bigint;
  readonly excluded?: readonly Address[];
  readonly job?: bigint;
}

export class VerificationWorld {
  readonly chain: EconomyChain;
  readonly program: Program;
  readonly address: Hex;
  /** What the stub has taken out, in order. */
  readonly decided: DecidedRound[] = [];
  work: TracedWork;
  request: RoundRequest | undefined;
  #verdict: RefereeVerdict | undefined;

  constructor(options: WorldOptions = {}) {
    const { verifiers = 5, stakeOf = () => STAKE } = options;
    this.chain = new EconomyChain({ parameters: { verification: { ...options.parameters } } });
    this.program = options.program ?? stepProgram(8, 3);
    this.work = new TracedWork(this.program);
    this.#install();
    const encoding = bytesToHex(encodeProgram(this.program));
    this.address = this.chain.send(PROGRAMS, "publish", [encoding], { key: CLIENT }).result;
    const register = hexToBytes(encodeFunctionData({ abi: verifiersAbi, functionName: "register" }));
    this.chain.block(
      Array.from({ length: verifiers }, (_, index) =>
        this.chain.transaction(VERIFIERS_ADDRESS, register, { key: verifierKey(index), value: stakeOf(index) }),
      ),
    );
    this.chain.endEpoch();
    this.chain.block();
  }

  #install(): void {
    const modules = this.chain.rules.modules as Map<Address, NativeModule>;
    const { parameters } = modules.get(VERIFICATION_ADDRESS) ?? {};
    assert(parameters !== undefined, "verification has parameters");
    const stub = defineModule({
      name: "market",
      address: MARKET_ADDRESS,
      abi: STUB.abi,
      parameters,
      handlers: {
        begin: (call: ModuleCall) => {
          assert(this.request !== undefined, "the test has asked for something");
          return beginRound(call, this.request);
        },
        challenge: (call: ModuleCall, round: bigint) => void openChallenge(call, round),
        verdict: (call: ModuleCall) => {
          assert(this.#verdict !== undefined, "the test has a verdict");
          onVerdict(call, this.#verdict, call.message.caller);
        },
      },
      endBlock: (call) => {
        this.decided.push(...takeDecided(call, 64));
      },
    });
    modules.set(MARKET_ADDRESS, stub);
  }

  /** What a call of `begin` will ask for. */
  prepare(options: BeginOptions = {}): bigint {
    const { seats = 3, tier = 0, seatFee = SEAT_FEE, excluded = [], job = 1n, segment = 0, segments = 1 } = options;
    this.work = new TracedWork(this.program, options);
    this.request = {
      job,
      client: CLIENT.address,
      worker: WORKER.address,
      excluded,
      program: this.address,
      inputs: [bytesToHex(sha256(utf8("input")))],
      segment,
      segments,
      commitment: this.work.commitment,
      seats,
      tier,
      seatFee,
    };
    return BigInt(seats) * seatFee;
  }

  /** Begins a round; nothing is drawn yet. */
  begin(options: BeginOptions = {}): bigint {
    const value = this.prepare(options);
    return this.chain.send(STUB, "begin", [], { value, key: CLIENT }).result;
  }

  phase(round: bigint): number {
    return this.chain.view(VERIFICATION, "roundOf", [round]).phase;
  }

  round(round: bigint): ContractFunctionReturnType<typeof verificationAbi, "view", "roundOf"> {
    return this.chain.view(VERIFICATION, "roundOf", [round]);
  }

  seats(round: bigint): readonly Asked[] {
    return this.chain
      .view(VERIFICATION, "seatsOf", [round])
      .filter(({ verifier }) => BigInt(verifier) !== 0n)
      .map(({ seat, verifier, launch, tile }) => ({ seat, verifier: verifier.toLowerCase() as Hex, launch, tile }));
  }

  /** Votes of the wave that is open, of everybody. */
  votes(round: bigint): readonly Asked[] {
    const asked: Asked[] = [];
    for (const account of new Set(this.#verifiers())) {
      const { votes, launch, tile, isOpen } = this.chain.view(VERIFICATION, "disputeOf", [round, account]);
      if (isOpen) asked.push(...votes.map(({ seat }) => ({ seat, verifier: account, launch, tile })));
    }
    return asked.sort((a, b) => a.seat - b.seat);
  }

  #verifiers(): readonly Hex[] {
    return Array.from({ length: MOST_VERIFIERS }, (_, index) => verifierKey(index).address);
  }

  /** Blocks until all that are to be drawn now are. */
  draw(round: bigint): void {
    for (let blocks = 0; blocks < 200; blocks++) {
      const { by, isFinal } = this.round(round);
      if (by !== 0n || isFinal) return;
      this.chain.block([], { seconds: 0 });
    }
    throw new Error("a draw never ends");
  }

  answer(
    round: bigint,
    asked: Asked,
    digest: Hex,
  ): { readonly seat: number; readonly digest: Hex; readonly nonce: Hex } {
    return { seat: asked.seat, digest, nonce: bytesToHex(sha256(utf8(`nonce ${round} ${asked.seat}`))) };
  }

  keyOf(address: Hex): TestKey {
    const key = Array.from({ length: MOST_VERIFIERS }, (_, index) => verifierKey(index)).find(
      (each) => each.address === address,
    );
    assert(key !== undefined, "the verifier is one of the world's");
    return key;
  }

  /** In one block, one transaction of each verifier. */
  #sendAll(
    functionName: "seal" | "reveal" | "sealVotes" | "revealVotes",
    round: bigint,
    asked: readonly Asked[],
    opinion: Opinion,
  ): void {
    const byVerifier = new Map<Hex, { readonly asked: Asked; readonly digest: Hex }[]>();
    for (const each of asked) {
      const digest = opinion(each);
      if (digest === undefined) continue;
      const list = byVerifier.get(each.verifier) ?? [];
      list.push({ asked: each, digest });
      byVerifier.set(each.verifier, list);
    }
    const isSeal = functionName === "seal" || functionName === "sealVotes";
    const transactions = [...byVerifier].map(([verifier, list]) => {
      const answers = list.map((each) => this.answer(round, each.asked, each.digest));
      const seals = answers.map((answer) => ({ seat: answer.seat, hash: sealOf(verifier, round, answer) }));
      const args = [round, isSeal ? seals : answers] as never;
      const data = hexToBytes(encodeFunctionData({ abi: verificationAbi, functionName, args }));
      return this.chain.transaction(VERIFICATION_ADDRESS, data, { key: this.keyOf(verifier) });
    });
    const { receipts } = this.chain.block(transactions);
    assert(
      receipts.slice(0, transactions.length).every(({ succeeded }) => succeeded),
      `everybody can ${functionName}`,
    );
  }

  honest: Opinion = ({ launch, tile }) => this.work.truth(launch, tile);
  complicit: Opinion = ({ launch, tile }) => this.work.claim(launch, tile);

  sealSeats(round: bigint, opinion: Opinion): void {
    this.#sendAll("seal", round, this.seats(round), opinion);
  }

  revealSeats(round: bigint, opinion: Opinion): void {
    this.#sendAll("reveal", round, this.seats(round), opinion);
  }

  open(round: bigint): void {
    const openings = this.seats(round).map(({ seat, launch, tile }) => this.work.open(seat, launch, tile));
    this.chain.send(VERIFICATION, "open", [round, openings as never], { key: WORKER });
  }

  publish(round: bigint): void {
    this.chain.send(VERIFICATION, "publishSeed", [round, bytesToHex(this.work.seed)], { key: WORKER });
  }

  /** What the referee does, without the execution. */
  challenge(round: bigint): void {
    this.chain.send(STUB, "challenge", [round]);
  }

  judge(verdict: RefereeVerdict): void {
    this.#verdict = verdict;
    this.chain.send(STUB, "verdict", []);
  }

  /** [stake, frozen, leaving] of a verifier. */
  pots(verifier: Hex): readonly [bigint, bigint, bigint] {
    const { stake, frozen, leaving } = this.chain.view(VERIFIERS, "verifierOf", [verifier]);
    return [stake, frozen, leaving];
  }

  /** Time passes until the phase has ended. */
  expire(round: bigint): void {
    const { by } = this.round(round);
    const left = by - this.chain.now;
    this.chain.pass(left > 0n ? left : 1n);
  }

  /** Tier 0 from the draw to the last reveal; who says nothing is waited for. */
  spot(round: bigint, opinion: Opinion = this.honest): void {
    this.draw(round);
    this.sealSeats(round, opinion);
    if (this.phase(round) === PHASE.sealing) this.expire(round);
    this.open(round);
    this.revealSeats(round, opinion);
    if (this.phase(round) === PHASE.revealing) this.expire(round);
  }

  /** One wave of votes. */
  wave(round: bigint, opinion: Opinion): void {
    this.draw(round);
    const votes = this.votes(round);
    this.#sendAll("sealVotes", round, votes, opinion);
    if (this.phase(round) === PHASE.voting) this.expire(round);
    if (this.phase(round) !== PHASE.counting) return;
    this.#sendAll("revealVotes", round, votes, opinion);
    if (this.phase(round) === PHASE.counting) this.expire(round);
  }

  /** Waves until the vote is over. */
  vote(round: bigint, opinion: Opinion): void {
    for (let waves = 0; waves < 200 && this.phase(round) === PHASE.voting; waves++) this.wave(round, opinion);
  }

  /** Lets the time for challenges pass. */
  close(round: bigint): void {
    for (let tries = 0; tries < 3 && !this.round(round).isFinal; tries++) this.expire(round);
    assert(this.round(round).isFinal, "the round closes");
  }
}

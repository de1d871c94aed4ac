/** Makes up what people do next. It looks at the state so that most of it makes sense; about a third must not. */
import { bytesToHex, type Hex, utf8 } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { OGPU } from "../../../base/units.ts";
import type { VoteContent } from "../../../base/votes.ts";
import {
  CLOCK_ADDRESS,
  GOVERNANCE_ADDRESS,
  PROVIDERS_ADDRESS,
  STAKING_ADDRESS,
  TREASURY_ADDRESS,
  TRUST_LOCK_ADDRESS,
  VERIFIERS_ADDRESS,
} from "../../../vm/modules/addresses.ts";
import { openAt, openCount } from "../../../vm/modules/governance/agenda.ts";
import { proposerOf } from "../../../vm/modules/governance/proposals.ts";
import { boundFunds, freeFunds, leavingFunds } from "../../../vm/modules/held-funds.ts";
import type { ModuleCall } from "../../../vm/modules/module-call.ts";
import { rewardsDue, selfStake, sharesIn } from "../../../vm/modules/staking/delegations.ts";
import { readLiabilities } from "../../../vm/modules/staking/liabilities.ts";
import { worth } from "../../../vm/modules/staking/shares.ts";
import { readUnbondings } from "../../../vm/modules/staking/unbonding.ts";
import { field, fundOf, isRegistered, standingOf } from "../../../vm/modules/staking/validator-record.ts";
import type { CommitmentKey } from "../../../vm/modules/trust-lock/commitments.ts";
import { commitmentLeft } from "../../../vm/modules/trust-lock/commitments.ts";
import type { Address } from "../../../vm/state/account.ts";
import type { EconomyWorld } from "./economy-world.ts";
import { notarisedTwice, nullifiedAndFinalised, signedVote } from "./offences.ts";
import { MODULES, type ModuleName, type Operation } from "./operation.ts";
import type { Random } from "./random.ts";
import { isEncodable, spoil } from "./spoil.ts";
import { WISHES } from "./wishes.ts";

const REGION: Hex = `0x${"65752d77".padEnd(32, "0")}`;
const DIGEST: Hex = `0x${"11".repeat(32)}`;
const NOBODY: Address = "0x0000000000000000000000000000000000000000";

type Draft = Pick<Operation, "module" | "functionName" | "args"> &
  Partial<Pick<Operation, "actor" | "value" | "to" | "garbage">>;

export class Imagination {
  readonly #world: EconomyWorld;
  readonly #random: Random;
  readonly #commitments: CommitmentKey[] = [];
  #names = 0;
  #known: { readonly block: bigint; readonly validators: readonly Address[] } = { block: -1n, validators: [] };
  readonly #weighted: readonly (() => Draft)[];

  constructor(world: EconomyWorld, random: Random) {
    this.#world = world;
    this.#random = random;
    const table: readonly (readonly [number, () => Draft])[] = [
      [16, () => this.#delegate()],
      [10, () => this.#unbond()],
      [9, () => this.#redelegate()],
      [8, () => this.#withdraw()],
      [8, () => this.#claim()],
      [2, () => this.#settle()],
      [7, () => this.#operate()],
      [12, () => this.#trust()],
      [9, () => this.#control()],
      [12, () => this.#provide()],
      [12, () => this.#verify()],
      [8, () => this.#judge()],
      [3, () => this.#propose()],
      [14, () => this.#vote()],
      [6, () => this.#give()],
    ];
    this.#weighted = table.flatMap(([weight, make]) => Array.from({ length: weight }, () => make));
  }

  next(): Operation {
    const random = this.#random;
    if (random.once(350)) return this.#complete(this.#accuse());
    const operation = this.#complete(random.pick(this.#weighted)());
    if (random.below(100) >= 11) return operation;
    const { people } = this.#world.beginning;
    const spoiled = spoil(operation, random, people, (value) => this.#affordable(operation.actor, value));
    return isEncodable(spoiled) ? spoiled : operation;
  }

  #complete(draft: Draft): Operation {
    const actor = draft.actor ?? this.#anybody();
    const { contracts, people } = this.#world.beginning;
    const via = contracts.includes(actor) ? this.#random.pick(people) : undefined;
    const to = draft.to ?? (draft.module === "transfer" ? NOBODY : MODULES[draft.module].address);
    const { module, functionName, args, value = 0n, garbage } = draft;
    return { actor, via, module, functionName, args, to, value: this.#affordable(actor, value), garbage };
  }

  /** Fees come on top. */
  #affordable(actor: Address, value: bigint): bigint {
    const has = this.#world.balance(actor) - OGPU;
    return value < has ? value : has > 0n ? has / 2n : 0n;
  }

  #anybody(): Address {
    const { people, contracts, operators } = this.#world.beginning;
    const kind = this.#random.below(10);
    return this.#random.pick(kind < 6 ? people : kind < 8 ? contracts : operators);
  }

  #staking(): ModuleCall {
    return this.#world.reading(STAKING_ADDRESS);
  }

  /** Those who were when the block began. */
  #validators(): readonly Address[] {
    const { number, beginning } = this.#world;
    if (this.#known.block !== number) {
      const call = this.#staking();
      const validators = beginning.operators.filter((operator) => isRegistered(call, operator));
      this.#known = { block: number, validators };
    }
    return this.#known.validators;
  }

  /** Somebody who has shares, if that is found soon. */
  #position(): { readonly operator: Address; readonly delegator: Address; readonly amount: bigint } {
    const call = this.#staking();
    const validators = this.#validators();
    let found = { operator: this.#random.pick(validators), delegator: this.#anybody(), amount: 0n };
    for (let attempt = 0; attempt < 12; attempt++) {
      found = { operator: this.#random.pick(validators), delegator: this.#anybody(), amount: 0n };
      const shares = sharesIn(call, found.operator, found.delegator);
      if (shares === 0n) continue;
      // Operators leave by `exit`, and seldom.
      if (found.operator === found.delegator && !this.#random.once(6)) continue;
      return { ...found, amount: worth(fundOf(call, found.operator), shares) };
    }
    return found;
  }

  #delegate(): Draft {
    const call = this.#staking();
    const open = this.#validators().filter(
      (operator) =>
        standingOf(call, operator).isTombstoned === 0n &&
        selfStake(call, operator) >= call.parameters.staking.minSelfStake,
    );
    const operator = this.#random.pick(open.length > 0 ? open : this.#validators());
    const value = this.#random.once(8)
      ? call.parameters.staking.minDelegation + BigInt(this.#random.below(3)) - 1n
      : this.#random.amount(300n * OGPU);
    return { module: "staking", functionName: "delegate", args: [operator], value };
  }

  #unbond(): Draft {
    const { operator, delegator, amount } = this.#position();
    return {
      module: "staking",
      functionName: "unbond",
      args: [operator, this.#random.amount(amount)],
      actor: delegator,
    };
  }

  #redelegate(): Draft {
    const { operator, delegator, amount } = this.#position();
    const others = this.#validators().filter((each) => each !== operator || this.#random.once(8));
    const args = [operator, this.#random.pick(others), this.#random.amount(amount)];
    return { module: "staking", functionName: "redelegate", args, actor: delegator };
  }

  #withdraw(): Draft {
    const call = this.#staking();
    const validators = this.#validators();
    for (let attempt = 0; attempt < 12; attempt++) {
      const [operator, actor] = [this.#random.pick(validators), this.#anybody()];
      const isDue = readUnbondings(call, operator, actor).some(({ dueAt }) => dueAt <= this.#world.seconds);
      if (isDue) return { module: "staking", functionName: "withdraw", args: [operator], actor };
    }
    if (!this.#random.once(4)) return this.#delegate();
    return { module: "staking", functionName: "withdraw", args: [this.#random.pick(validators)] };
  }

  #claim(): Draft {
    const call = this.#staking();
    let { operator, delegator } = this.#position();
    for (let attempt = 0; attempt < 4 && rewardsDue(call, operator, delegator) === 0n; attempt++) {
      ({ operator, delegator } = this.#position());
    }
    return { module: "staking", functionName: "claimRewards", args: [operator], actor: delegator };
  }

  #settle(): Draft {
    const call = this.#staking();
    let { operator, delegator } = this.#position();
    const isFound = (): boolean =>
      readLiabilities(call, operator, delegator).some(({ source }) => standingOf(call, source).slashedAt > 0n);
    for (let attempt = 0; attempt < 8 && !isFound(); attempt++) ({ operator, delegator } = this.#position());
    if (!isFound() && !this.#random.once(4)) return this.#delegate();
    return { module: "staking", functionName: "settleRedelegation", args: [delegator, operator] };
  }

  #operate(): Draft {
    const random = this.#random;
    const { operators, keys, people } = this.#world.beginning;
    const call = this.#staking();
    const later = operators.filter((operator) => !isRegistered(call, operator));
    const kind = random.below(12);
    // A proof of possession takes 40 ms: there are few.
    if (kind === 0 && later.length > 0) {
      const actor = random.pick(later);
      const [key] = keys.get(actor) ?? [];
      const args = [key?.publicKey, key?.proof, 100_000n, 300_000n, 50_000n, random.pick(people), "a validator"];
      return {
        module: "staking",
        functionName: "register",
        args,
        actor,
        value: 210n * OGPU + random.amount(500n * OGPU),
      };
    }
    const actor = random.pick(this.#validators());
    const draft = (functionName: string, args: readonly unknown[] = []): Draft => ({
      module: "staking",
      functionName,
      args,
      actor,
    });
    if (kind < 5 && field(call, "commission", actor) > 0n) return draft("claimCommission");
    if (kind < 7 && kind > 3) {
      const jailed = this.#validators().find((each) => standingOf(call, each).isJailed > 0n);
      return { ...draft("unjail"), actor: jailed ?? actor };
    }
    if (kind === 7) return draft("setCommission", [BigInt(random.below(300_000))]);
    if (kind === 8) return draft("setPayout", [random.pick(people)]);
    if (kind === 9) return draft("setMetadata", ["m".repeat(random.below(600))]);
    if (kind === 10 && random.once(3)) {
      const [, spare] = keys.get(actor) ?? [];
      return draft("rotateKey", [spare?.publicKey, spare?.proof]);
    }
    return random.once(4) ? draft("exit") : draft("claimCommission");
  }

  #accuse(): Draft {
    const random = this.#random;
    const operator = random.pick(this.#validators());
    const pair = this.#world.beginning.keys.get(operator)?.[random.once(5) ? 1 : 0];
    const epoch = Math.max(0, this.#world.epoch - random.below(3));
    const [first, second] = random.once(3) ? nullifiedAndFinalised(epoch) : notarisedTwice(epoch);
    const sign = (vote: VoteContent): Hex =>
      signedVote(pair?.secret ?? new Uint8Array(), vote, this.#world.rules.chainId);
    const args = [pair?.publicKey, sign(first), random.once(8) ? sign(first) : sign(second)];
    return { module: "slashing", functionName: "submitEvidence", args };
  }

  #trust(): Draft {
    const random = this.#random;
    const call = this.#world.reading(TRUST_LOCK_ADDRESS);
    const actor = this.#anybody();
    const draft = (functionName: string, args: readonly unknown[], value = 0n): Draft => ({
      module: "trustLock",
      functionName,
      args,
      actor,
      value,
    });
    const free = freeFunds(call, actor);
    const all = free + boundFunds(call, actor) + leavingFunds(call, actor);
    if (all === 0n) return draft("lock", [], random.amount(40n * OGPU));
    const kind = random.below(8);
    if (kind === 0) return draft("topUp", [], random.amount(10n * OGPU));
    if (kind === 1) return draft("withdraw", []);
    if (kind === 2) return draft("unlock", [random.amount(free)]);
    if (kind === 3) return draft("cancelUnlock", [random.amount(leavingFunds(call, actor))]);
    const { contracts, people } = this.#world.beginning;
    const controller = random.pick(random.once(2) ? contracts : people);
    const commitment = bytesToHex(keccak256(utf8(`commitment ${this.#names++}`)));
    this.#commitments.push({ owner: actor, controller, commitment });
    const deadline = this.#world.seconds + BigInt(1 + random.below(150));
    return draft("allocate", [commitment, controller, random.amount(free), deadline]);
  }

  /** What controllers and owners do with commitments. */
  #control(): Draft {
    const random = this.#random;
    if (this.#commitments.length === 0) return this.#trust();
    const call = this.#world.reading(TRUST_LOCK_ADDRESS);
    let key = random.pick(this.#commitments);
    for (let attempt = 0; attempt < 8 && commitmentLeft(call, key) === 0n; attempt++) {
      key = random.pick(this.#commitments);
    }
    const { owner, controller, commitment } = key;
    const amount = random.amount(commitmentLeft(call, key));
    const draft = (functionName: string, args: readonly unknown[], actor: Address): Draft => ({
      module: "trustLock",
      functionName,
      args,
      actor,
    });
    const kind = random.below(8);
    if (kind < 3) {
      const [one, half] = [this.#anybody(), amount / 3n];
      const to = [one, random.once(2) ? TREASURY_ADDRESS : NOBODY, owner];
      return draft(
        "breach",
        [owner, commitment, amount, random.below(9), to, [half, amount - half - half, half]],
        controller,
      );
    }
    if (kind < 5) return draft("release", [owner, commitment, amount], controller);
    if (kind === 5) return draft("increase", [commitment, controller, random.amount(freeFunds(call, owner))], owner);
    if (kind === 6)
      return draft("extend", [commitment, controller, this.#world.seconds + BigInt(random.below(300))], owner);
    return draft("reclaim", [commitment, controller], owner);
  }

  #provide(): Draft {
    const device = [1 + this.#random.below(2), 1n << 30n, this.#random.below(16), REGION, 3n, DIGEST];
    return this.#heldParty("providers", PROVIDERS_ADDRESS, ["a name", "an endpoint"], () =>
      this.#random.pick<readonly [string, readonly unknown[]]>([
        ["addDevice", device],
        ["addDevice", device],
        ["updateDevice", [BigInt(1 + this.#random.below(4)), ...device]],
        ["removeDevice", [BigInt(1 + this.#random.below(4))]],
        ["describe", ["another name", ""]],
      ]),
    );
  }

  #verify(): Draft {
    return this.#heldParty("verifiers", VERIFIERS_ADDRESS, [], () => [this.#random.once(3) ? "unjail" : "pause", []]);
  }

  #heldParty(
    module: "providers" | "verifiers",
    address: Address,
    registration: readonly unknown[],
    other: () => readonly [string, readonly unknown[]],
  ): Draft {
    const random = this.#random;
    const call = this.#world.reading(address);
    const actor = this.#anybody();
    const draft = (functionName: string, args: readonly unknown[], value = 0n): Draft => ({
      module,
      functionName,
      args,
      actor,
      value,
    });
    const free = freeFunds(call, actor);
    if (module === "verifiers" && free === 0n && this.#random.below(3) > 0) return this.#verify();
    const isThere = free + boundFunds(call, actor) + leavingFunds(call, actor) > 0n;
    if (!isThere) return draft("register", registration, 10n * OGPU + random.amount(60n * OGPU));
    switch (random.below(10)) {
      case 0:
        return draft("topUp", [], random.amount(20n * OGPU));
      case 1:
      case 2:
        return draft("requestWithdrawal", [random.amount(free)]);
      case 3:
        return draft("cancelWithdrawal", [random.amount(leavingFunds(call, actor))]);
      case 4:
      case 5:
        return leavingFunds(call, actor) > 0n ? draft("withdraw", []) : draft("topUp", [], random.amount(OGPU));
      case 6:
        return draft(random.once(2) ? "pause" : "resume", []);
      case 7:
        return random.once(2) ? draft("exit", []) : draft("topUp", [], random.amount(OGPU));
      default:
        return draft(...other());
    }
  }

  /** What the market and the verification module will do. Never more than there is: that would be their bug. */
  #judge(): Draft {
    const random = this.#random;
    const party = this.#anybody();
    const draft = (functionName: string, args: readonly unknown[]): Draft => ({ module: "market", functionName, args });
    const isProvider = random.once(2);
    const call = this.#world.reading(isProvider ? PROVIDERS_ADDRESS : VERIFIERS_ADDRESS);
    const [free, bound] = [freeFunds(call, party), boundFunds(call, party)];
    const to = random.pick(this.#world.beginning.people);
    const kind = random.below(6);
    if (isProvider) {
      if (kind < 3) return draft("reserve", [party, random.amount(free)]);
      if (kind === 3) return draft("releaseReserved", [party, random.amount(bound)]);
      if (kind === 4) return draft("takeReserved", [party, random.amount(bound), 1, to]);
      return draft("takeCollateral", [party, random.amount(free / 2n), 2, to]);
    }
    if (kind < 2) return draft("freeze", [party, random.amount(free)]);
    if (kind === 2) return draft("releaseFrozen", [party, random.amount(bound)]);
    if (kind === 3) return draft("takeFrozen", [party, random.amount(bound), 1, to]);
    if (kind === 4) return draft("takeStake", [party, random.amount(free / 2n), 2, to]);
    return draft("jail", [party, this.#world.seconds + BigInt(random.below(60))]);
  }

  #propose(): Draft {
    const random = this.#random;
    const value = this.#world.reading(GOVERNANCE_ADDRESS).parameters.governance.deposit;
    const draft = (functionName: string, args: readonly unknown[]): Draft => ({
      module: "governance",
      functionName,
      args: ["a title", "a body", ...args],
      value,
    });
    const kind = random.below(12);
    if (kind === 0) return draft("proposeText", []);
    if (kind === 1) {
      const amount = random.amount(this.#world.balance(TREASURY_ADDRESS) + OGPU);
      return draft("proposeSpending", [this.#anybody(), amount]);
    }
    if (kind === 2) {
      const height = random.once(4) ? 0n : this.#world.number + 1_000_000n;
      return draft("proposeUpgrade", [`upgrade-${random.below(3)}`, height]);
    }
    const wishes = new Map(Array.from({ length: 1 + random.below(3) }, () => random.pick(WISHES)));
    const values = [...wishes.values()].map((each) => random.pick(each));
    return draft("proposeParameters", [[...wishes.keys()], values]);
  }

  #vote(): Draft {
    const random = this.#random;
    const call = this.#world.reading(GOVERNANCE_ADDRESS);
    const count = openCount(call);
    if (count === 0 || (count < 3 && random.once(3))) return this.#propose();
    const id = openAt(call, random.below(count));
    const choice = random.below(10) < 7 ? 1 : 2 + random.below(3);
    const draft = (functionName: string, args: readonly unknown[], actor: Address): Draft => ({
      module: "governance",
      functionName,
      args,
      actor,
    });
    if (random.once(40)) return draft("cancel", [id], proposerOf(call, id));
    if (random.once(2)) return draft("vote", [id, choice], random.pick(this.#validators()));
    const { operator, delegator } = this.#position();
    return draft("voteAsDelegator", [id, operator, choice], delegator);
  }

  /** To people, contracts, modules, and to nobody. */
  #give(): Draft {
    const random = this.#random;
    const value = random.amount(5n * OGPU);
    if (random.once(8)) return { module: "treasury", functionName: "deposit", args: [], value };
    if (random.once(8)) return { module: "token", functionName: "burn", args: [], value: value / 100n };
    const modules = (Object.keys(MODULES) as ModuleName[]).map((name) => MODULES[name].address);
    const to = random.once(4) ? random.pick([...modules, CLOCK_ADDRESS]) : this.#anybody();
    return { module: "transfer", functionName: "", args: [], to, value: value / 50n };
  }
}

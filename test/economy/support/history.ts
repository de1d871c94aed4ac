/** Runs a history: blocks of operations, and after each block every rule. What failed is cut down to what matters. */
import { toFunctionSelector } from "viem";
import { bytesToHex } from "../../../base/bytes.ts";
import { PROVIDERS_ADDRESS, STAKING_ADDRESS, VERIFIERS_ADDRESS } from "../../../vm/modules/addresses.ts";
import { boundFunds, freeFunds } from "../../../vm/modules/held-funds.ts";
import { sharesIn } from "../../../vm/modules/staking/delegations.ts";
import { readUnbondings, unbondingWorth } from "../../../vm/modules/staking/unbonding.ts";
import { fundOf, isRegistered, termsOf } from "../../../vm/modules/staking/validator-record.ts";
import type { Receipt } from "../../../vm/receipt/receipt.ts";
import type { Address } from "../../../vm/state/account.ts";
import { Bookkeeper } from "./bookkeeper.ts";
import { BrokenRule, checkBlock, rule } from "./check-block.ts";
import { type Beginning, type BlockPlan, COINBASE, EconomyWorld, type Message } from "./economy-world.ts";
import { Imagination } from "./imagine.ts";
import { describeOperation, MODULES, messageOf, type Operation, type PlannedBlock } from "./operation.ts";
import { Random } from "./random.ts";

export interface Outcome {
  readonly blocks: readonly PlannedBlock[];
  readonly operations: number;
  readonly failed: number;
  readonly epochs: number;
  /** How often each function succeeded. */
  readonly succeeded: ReadonlyMap<string, number>;
  /** How often each error came. */
  readonly errors: ReadonlyMap<string, number>;
  readonly broken: Error | undefined;
}

/** One history that is going on. */
class Run {
  readonly world: EconomyWorld;
  readonly books: Bookkeeper;
  readonly succeeded: Map<string, number> = new Map();
  readonly errors: Map<string, number> = new Map();
  operations = 0;
  failed = 0;

  constructor(beginning: Beginning) {
    this.world = new EconomyWorld(beginning);
    this.books = new Bookkeeper(this.world);
  }

  block(plan: BlockPlan, operations: Iterable<Operation>): void {
    const { world, books } = this;
    world.begin(plan);
    books.beginBlock(plan);
    for (const operation of operations) this.#operate(operation);
    let rewards: ReadonlyMap<Address, bigint> = new Map();
    let before: ReadonlyMap<string, bigint> = new Map();
    world.end(() => {
      rewards = plan.isSeal ? books.expectedRewards() : rewards;
      before = plan.isSeal ? valuesOfAll(world, books) : before;
    });
    books.roundings += 20n;
    if (plan.isSeal) {
      checkNobodyGained(before, valuesOfAll(world, books));
      const call = world.reading(STAKING_ADDRESS);
      books.endEpoch(rewards, (operator) => termsOf(call, operator).commission);
    }
    checkBlock(world, books, plan.isSeal);
  }

  #operate(operation: Operation): void {
    const { world, books } = this;
    if (operation.module === "market" && !isWithin(world, operation)) return;
    const message = messageOf(operation);
    // Nobody can send what they do not have: such a transaction is in no block.
    const fees = 20n * 10n ** 15n;
    if (world.balance(message.sender) < message.value + fees) return;
    if (operation.via !== undefined && world.balance(operation.actor) < operation.value) return;
    this.operations++;
    const isEvidence = operation.module === "slashing";
    const values = isEvidence ? valuesOfAll(world, books) : undefined;
    const before = books.before(operation);
    const receipt = world.transact(message);
    const name = `${operation.module}.${operation.functionName}`;
    if (receipt.succeeded) {
      this.succeeded.set(name, (this.succeeded.get(name) ?? 0) + 1);
      books.record(operation, receipt, before);
      if (values !== undefined) checkNobodyGained(values, valuesOfAll(world, books));
      return;
    }
    this.failed++;
    const error = errorOf(operation, receipt);
    this.errors.set(error, (this.errors.get(error) ?? 0) + 1);
    if (this.failed % 4 === 0) checkNothingHappened(world, message);
  }
}

/** The stub of the market does as it is told, and may not be told to take more than there is. */
function isWithin(world: EconomyWorld, { functionName, args }: Operation): boolean {
  const [party, amount] = args as [Address, bigint];
  if (functionName === "jail") return true;
  const isProvider = ["reserve", "releaseReserved", "takeReserved", "takeCollateral"].includes(functionName);
  const call = world.reading(isProvider ? PROVIDERS_ADDRESS : VERIFIERS_ADDRESS);
  const isBound =
    functionName.startsWith("release") || functionName === "takeReserved" || functionName === "takeFrozen";
  return amount <= (isBound ? boundFunds(call, party) : freeFunds(call, party));
}

/** Everybody's stake, bonded and unbonding, by "validator owner kind". */
function valuesOfAll(world: EconomyWorld, { everybody }: Bookkeeper): ReadonlyMap<string, bigint> {
  const call = world.reading(STAKING_ADDRESS);
  const values = new Map<string, bigint>();
  for (const operator of world.beginning.operators) {
    if (!isRegistered(call, operator)) continue;
    const { tokens, shares } = fundOf(call, operator);
    for (const one of everybody) {
      const own = sharesIn(call, operator, one);
      if (own > 0n) values.set(`${operator} ${one} bonded`, (own * tokens) / shares);
      const entries = readUnbondings(call, operator, one);
      const leaving = entries.reduce((sum, entry) => sum + unbondingWorth(call, operator, entry), 0n);
      if (leaving > 0n) values.set(`${operator} ${one} unbonding`, leaving);
    }
  }
  return values;
}

/** A penalty makes nobody's stake worth more. */
function checkNobodyGained(before: ReadonlyMap<string, bigint>, after: ReadonlyMap<string, bigint>): void {
  for (const [key, value] of after) {
    rule(value <= (before.get(key) ?? 0n), "a slash never creates value", key, before.get(key), value);
  }
}

/** The same once more: it fails again, and takes its fee alone. */
function checkNothingHappened(world: EconomyWorld, message: Message): void {
  const has = world.balance(message.sender);
  const { receipt, state } = world.rehearse(message);
  const { accounts, storage } = state.changes();
  rule(!receipt.succeeded, "what failed fails again");
  for (const slots of storage.values()) rule(slots.size === 0, "what fails writes nothing", slots.size);
  for (const [address, account] of accounts) {
    if (address === message.sender || address === COINBASE) continue;
    rule(account?.balance === world.state.account(address)?.balance, "what fails moves nothing", address);
  }
  const fee = receipt.gasUsed * receipt.effectiveGasPrice;
  rule(state.balance(message.sender) === has - fee, "what fails costs its fee", message.sender);
}

/** By selector: of the module's own, of modules that it works with, and Solidity's Error(string). */
const ERRORS: ReadonlyMap<string, string> = new Map([
  ["0x08c379a0", "Error"],
  ...Object.values(MODULES).flatMap(({ abi }) =>
    abi.flatMap((item) =>
      item.type === "error"
        ? [[toFunctionSelector(`${item.name}(${item.inputs.map(({ type }) => type).join()})`), item.name] as const]
        : [],
    ),
  ),
]);

/** The name of the Solidity error. Throws if it has none. */
function errorOf({ module, garbage }: Operation, { output }: Receipt): string {
  const name = ERRORS.get(bytesToHex(output.subarray(0, 4)));
  if (name === undefined) throw new BrokenRule(`a revert without a name: ${module} ${bytesToHex(output)}`);
  return garbage === undefined ? `${module}.${name}` : "garbage";
}

function outcomeOf(run: Run, blocks: readonly PlannedBlock[], broken: Error | undefined): Outcome {
  const { operations, failed, succeeded, errors, world } = run;
  return { blocks, operations, failed, epochs: world.epoch, succeeded, errors, broken };
}

/** A history that its seed makes up as it goes. */
export function imagine(beginning: Beginning, seed: number, operations: number): Outcome {
  const random = new Random(seed);
  const run = new Run(beginning);
  const imagination = new Imagination(run.world, random);
  const blocks: PlannedBlock[] = [];
  let broken: Error | undefined;
  while (run.operations < operations && broken === undefined) {
    const plan = planOf(run.world, random);
    const done: Operation[] = [];
    blocks.push({ plan, operations: done });
    const count = 30 + random.below(60);
    try {
      run.block(plan, upTo(count, imagination, done));
    } catch (error) {
      broken = error as Error;
    }
  }
  return outcomeOf(run, blocks, broken);
}

function* upTo(count: number, imagination: Imagination, done: Operation[]): Iterable<Operation> {
  for (let index = 0; index < count; index++) {
    const operation = imagination.next();
    done.push(operation);
    yield operation;
  }
}

/** Mostly a second or two; now and then hours. Some are absent. */
function planOf(world: EconomyWorld, random: Random): BlockPlan {
  const seconds = random.once(12) ? random.below(400) : random.once(3) ? random.below(40) : random.below(4);
  const everybody = Array.from({ length: world.setSize }, (_, index) => index);
  const lazy = random.once(4) ? random.below(world.setSize + 1) : -1;
  const signers = everybody.filter((index) => index !== lazy && !random.once(6));
  return { seconds, isSeal: random.once(5), signers, proposer: random.below(world.setSize + 1) };
}

/** What was written down, once more. */
export function replay(beginning: Beginning, blocks: readonly PlannedBlock[]): Outcome {
  const run = new Run(beginning);
  let broken: Error | undefined;
  try {
    for (const { plan, operations } of blocks) run.block(plan, operations);
  } catch (error) {
    broken = error as Error;
  }
  return outcomeOf(run, blocks, broken);
}

/** Cuts blocks and operations away as long as something is still broken; at most so many tries. */
export function shrink(beginning: Beginning, blocks: readonly PlannedBlock[], tries: number): readonly PlannedBlock[] {
  let left = tries;
  const isBroken = (candidate: readonly PlannedBlock[]): boolean =>
    left-- > 0 && replay(beginning, candidate).broken !== undefined;
  let best = cut(blocks, isBroken);
  for (let index = 0; index < best.length && left > 0; index++) {
    const before = best[index];
    if (before === undefined) continue;
    const withOperations = (operations: readonly Operation[]): readonly PlannedBlock[] =>
      best.map((block, position) => (position === index ? { ...block, operations } : block));
    const kept = cut(before.operations, (operations) => isBroken(withOperations(operations)));
    best = withOperations(kept);
  }
  return best;
}

/** Leaves out ever smaller runs of items. */
function cut<Item>(items: readonly Item[], isBroken: (items: readonly Item[]) => boolean): readonly Item[] {
  let best = items;
  for (let size = Math.ceil(items.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < best.length; ) {
      const candidate = [...best.slice(0, start), ...best.slice(start + size)];
      if (isBroken(candidate)) best = candidate;
      else start += size;
    }
  }
  return best;
}

export function describeHistory(blocks: readonly PlannedBlock[]): string {
  return blocks
    .flatMap(({ plan, operations }) => [
      `block: ${plan.seconds} s${plan.isSeal ? ", seal" : ""}, signed by ${plan.signers.join(" ")}`,
      ...operations.map((operation) => `  ${describeOperation(operation)}`),
    ])
    .join("\n");
}

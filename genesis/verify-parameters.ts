/** What must hold of a network's parameters, in one place: read when a spec is parsed, and before a change of them. */
import { GWEI, OGPU } from "../base/units.ts";
import { amountText } from "./amount.ts";
import { allocatedSupply, type ChainSpec, type ConsensusSpec, type GenesisAccount } from "./chain-spec.ts";
import { totalEmission } from "./emission.ts";
import { isReservedAddress } from "./reserved-addresses.ts";
import type { Problem, Report } from "./shape.ts";
import { NO_WAITS, verifyEconomy, type Waits } from "./verify-economy.ts";

export const SUPPLY_CAP: bigint = 21_000_000n * OGPU;

/** EIP-170 */
export const MAX_CODE_BYTES = 24_576;
/** EIP-7825: what one transaction may ask for. */
export const TRANSACTION_GAS_CAP: bigint = 1n << 24n;
/** At the rates we execute the slowest operations, more would be minutes of work in one block. */
const MAX_BLOCK_GAS = 1_000_000_000n;
/** An eighth of less rounds to nothing, so that the base fee could rise but never fall (EIP-1559). */
const MIN_BASE_FEE = 8n;
const MAX_BASE_FEE = 1_000n * GWEI;
/** Room for the largest init code (EIP-3860) and the rest of its transaction. */
const MIN_TRANSACTION_BYTES = 65_536;
const MAX_TRANSACTION_BYTES = 1_048_576;
const MIN_INTERVAL_MILLISECONDS = 50;
const MAX_INTERVAL_MILLISECONDS = 60_000;
const MAX_VIEW_TIMEOUT_MILLISECONDS = 3_600_000;
const MAX_HEARTBEAT_MILLISECONDS = 86_400_000;
const MIN_REPEAT_MILLISECONDS = 10;
const MAX_REPEAT_MILLISECONDS = 60_000;
const MAX_SKEW_MILLISECONDS = 60_000;
const MAX_UNFINAL_BLOCKS = 1024;
const MIN_WEIGHT_CAP_DIVISOR = 4;
const MAX_WEIGHT_CAP_DIVISOR = 1000;
const MAX_EPOCH_BLOCKS = 10_000_000;
const MIN_TRUSTING_SECONDS = 60;
const MAX_TRUSTING_SECONDS = 31_536_000;
/** Wallets keep the signature's v, which is 2 x chainId + 36, in a JavaScript number. */
const MAX_CHAIN_ID: bigint = (BigInt(Number.MAX_SAFE_INTEGER) - 36n) / 2n;
const MAX_BLOCK_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);
/** The last second of the year 9999: what every tool can write as a date. */
const MAX_GENESIS_TIME = 253_402_300_799n;

/** Networks whose wallets and signatures must never be mixed up with ours. */
const FOREIGN_CHAINS: ReadonlyMap<bigint, string> = new Map([
  [1n, "Ethereum"],
  [10n, "OP Mainnet"],
  [56n, "BNB Smart Chain"],
  [100n, "Gnosis"],
  [137n, "Polygon"],
  [250n, "Fantom"],
  [324n, "ZKsync Era"],
  [1337n, "Geth's development chain"],
  [8453n, "Base"],
  [17_000n, "Holesky"],
  [31_337n, "Hardhat's and Anvil's development chain"],
  [42_161n, "Arbitrum One"],
  [42_220n, "Celo"],
  [43_114n, "Avalanche"],
  [59_144n, "Linea"],
  [534_352n, "Scroll"],
  [560_048n, "Hoodi"],
  [11_155_111n, "Sepolia"],
]);

/**
 * Every problem that the parameters have; none when the chain may run with them.
 *
 *  1. The chain id is at most 4,503,599,627,370,477, so that wallets can hold a signature's v.
 *  2. The chain id is not that of a well-known network.
 *  3. The block gas limit is at least 2^24, so that every transaction that EIP-7825 allows fits in a block,
 *     and at most 1,000,000,000.
 *  4. The initial base fee is from 8 wei to 1,000 gwei.
 *  5. A transaction may have 65,536 to 1,048,576 bytes.
 *  6. The block interval is from 50 ms to one minute.
 *  7. The supply cap is 21,000,000 x 10^18 wei, exactly.
 *  8. Emission ends at a block number that JSON numbers hold: halvings x halvingBlocks < 2^53.
 *  9. Allocation and all emission together are at most the cap.
 * 10. No address is allocated twice.
 * 11. No allocation at an address of the protocol: native modules, precompiles, the zero address.
 * 12. An account is not empty: it would not exist (EIP-161).
 * 13. An account with storage has code or a nonce, or its storage would stand without an account.
 * 14. An account with code has a nonce of at least 1, as every contract has (EIP-161).
 * 15. Code does not start with 0xef (EIP-3541, EIP-7702).
 * 16. A slot's value is not zero: such a slot does not exist.
 * 17. The chain starts before the year 10,000: genesisTime <= 253402300799.
 * 18. A view is given more time than the block interval, or honest leaders would be timed out while they wait, and at
 *     most its cap, which is at most an hour; the step is at most the cap.
 * 19. The heartbeat is at least the block interval and at most a day.
 * 20. What is sent or asked for again is so after 10 ms to a minute.
 * 21. Clocks may differ by at most a minute.
 * 22. From 1 to 1,024 unfinal blocks: they are all in memory.
 * 23. The weight cap divisor is from 4 to 1,000: a validator with a third of the weight could stop the chain alone.
 * 24. An epoch has from 1 to 10,000,000 blocks.
 * 25. The trusting period is from one minute to a year, and at least two heartbeats, or nodes of an idle chain would stop.
 * 26. No validator's key is there twice.
 * 27. A validator's stake is at least what the staking module asks for; it is part of what is allocated (9).
 * 28. No validator's operator is an address of the protocol, and none acts for two validators.
 * 29. No verifier is there twice or at an address of the protocol, and each stakes at least what the module asks for.
 * 30. What verify-economy.ts says of the economy.
 *
 * There may be no validator at all: such a network is described, but not launched (verify-validators.ts).
 *
 * A block aims at half its gas limit and moves the base fee by an eighth at most: constants of EIP-1559, which
 * wallets rely on, not parameters.
 */
export function verifyParameters(spec: ChainSpec): readonly Problem[] {
  const problems: Problem[] = [];
  const report: Report = (path, message) => problems.push({ path, message });
  verifyChainId(spec, report);
  verifyGenesisTime(spec, report);
  verifyBlock(spec, report);
  verifyConsensus(spec, report);
  verifySupply(spec, report);
  verifyEconomy(spec.modules, waitsOf(spec), report);
  verifyValidators(spec, report);
  verifyVerifiers(spec, report);
  verifyAccounts(spec, report);
  return problems;
}

function verifyChainId({ chainId }: ChainSpec, report: Report): void {
  if (chainId < 1n || chainId > MAX_CHAIN_ID) report("$.chainId", `must be from 1 to ${MAX_CHAIN_ID}`);
  const foreign = FOREIGN_CHAINS.get(chainId);
  if (foreign !== undefined) report("$.chainId", `${chainId} is ${foreign}: choose one that is free`);
}

function verifyGenesisTime({ genesisTime }: ChainSpec, report: Report): void {
  if (genesisTime <= MAX_GENESIS_TIME) return;
  report("$.genesisTime", `must be at most ${MAX_GENESIS_TIME}, in seconds since 1970, is ${genesisTime}`);
}

function verifyBlock({ block }: ChainSpec, report: Report): void {
  const { gasLimit, initialBaseFee, maxTransactionBytes, intervalMilliseconds } = block;
  const within = (name: string, value: bigint | number, least: bigint | number, most: bigint | number): void => {
    if (value < least || value > most) report(`$.block.${name}`, `must be from ${least} to ${most}, is ${value}`);
  };
  within("gasLimit", gasLimit, TRANSACTION_GAS_CAP, MAX_BLOCK_GAS);
  if (initialBaseFee < MIN_BASE_FEE || initialBaseFee > MAX_BASE_FEE) {
    report("$.block.initialBaseFee", `must be from ${amountText(MIN_BASE_FEE)} to ${amountText(MAX_BASE_FEE)}`);
  }
  within("maxTransactionBytes", maxTransactionBytes, MIN_TRANSACTION_BYTES, MAX_TRANSACTION_BYTES);
  within("intervalMilliseconds", intervalMilliseconds, MIN_INTERVAL_MILLISECONDS, MAX_INTERVAL_MILLISECONDS);
}

function verifyConsensus({ block, consensus }: ChainSpec, report: Report): void {
  const { intervalMilliseconds: interval } = block;
  const { viewTimeoutMilliseconds, viewTimeoutCapMilliseconds, heartbeatMilliseconds } = consensus;
  const within = (name: keyof ConsensusSpec, least: number, most: number): void => {
    const value = consensus[name];
    if (value < least || value > most) report(`$.consensus.${name}`, `must be from ${least} to ${most}, is ${value}`);
  };
  if (viewTimeoutMilliseconds <= interval) {
    report("$.consensus.viewTimeoutMilliseconds", `must be more than the block interval, ${interval}`);
  }
  within("viewTimeoutCapMilliseconds", viewTimeoutMilliseconds, MAX_VIEW_TIMEOUT_MILLISECONDS);
  within("viewTimeoutStepMilliseconds", 0, viewTimeoutCapMilliseconds);
  within("heartbeatMilliseconds", interval, MAX_HEARTBEAT_MILLISECONDS);
  within("resendMilliseconds", MIN_REPEAT_MILLISECONDS, MAX_REPEAT_MILLISECONDS);
  within("fetchMilliseconds", MIN_REPEAT_MILLISECONDS, MAX_REPEAT_MILLISECONDS);
  within("maxSkewMilliseconds", 0, MAX_SKEW_MILLISECONDS);
  within("maxUnfinalBlocks", 1, MAX_UNFINAL_BLOCKS);
  within("weightCapDivisor", MIN_WEIGHT_CAP_DIVISOR, MAX_WEIGHT_CAP_DIVISOR);
  within("epochBlocks", 1, MAX_EPOCH_BLOCKS);
  const twoHeartbeats = Math.ceil((2 * heartbeatMilliseconds) / 1000);
  within("trustingPeriodSeconds", Math.max(MIN_TRUSTING_SECONDS, twoHeartbeats), MAX_TRUSTING_SECONDS);
}

function verifyValidators({ validators, modules }: ChainSpec, report: Report): void {
  const { minSelfStake } = modules.staking;
  const firstAt = new Map<string, number>();
  const operatorAt = new Map<string, number>();
  for (const [index, { publicKey, stake, operator }] of validators.entries()) {
    const path = `$.validators[${index}]`;
    const first = firstAt.get(publicKey);
    if (first === undefined) firstAt.set(publicKey, index);
    else report(`${path}.publicKey`, `the same key as $.validators[${first}]`);
    if (isReservedAddress(operator)) report(`${path}.operator`, "belongs to the protocol: choose another");
    if (stake < minSelfStake) report(`${path}.stake`, `must be at least ${amountText(minSelfStake)}`);
    const other = operatorAt.get(operator);
    if (other === undefined) operatorAt.set(operator, index);
    else report(`${path}.operator`, `the same operator as of $.validators[${other}]`);
  }
}

function verifyVerifiers({ verifiers, modules }: ChainSpec, report: Report): void {
  const { minStake } = modules.verifiers;
  const firstAt = new Map<string, number>();
  for (const [index, { account, stake }] of verifiers.entries()) {
    const path = `$.verifiers[${index}]`;
    const first = firstAt.get(account);
    if (first === undefined) firstAt.set(account, index);
    else report(`${path}.account`, `the same account as $.verifiers[${first}]`);
    if (isReservedAddress(account)) report(`${path}.account`, "belongs to the protocol: choose another");
    if (stake < minStake) report(`${path}.stake`, `must be at least ${amountText(minStake)}`);
  }
}

/** An idle chain makes a block per heartbeat, and an epoch has so many blocks. */
export function waitsOf({ development, consensus }: Pick<ChainSpec, "development" | "consensus">): Waits {
  if (development) return NO_WAITS;
  const { trustingPeriodSeconds, epochBlocks, heartbeatMilliseconds } = consensus;
  const epochSeconds = BigInt(Math.ceil((epochBlocks * heartbeatMilliseconds) / 1000));
  return { trustingSeconds: BigInt(trustingPeriodSeconds), epochSeconds };
}

function verifySupply(spec: ChainSpec, report: Report): void {
  const { cap, emission } = spec.modules.token;
  if (cap !== SUPPLY_CAP) report("$.modules.token.cap", `must be ${amountText(SUPPLY_CAP)}, is ${amountText(cap)}`);
  const halvings = BigInt(emission.initialPerBlock.toString(2).length);
  if (halvings * emission.halvingBlocks > MAX_BLOCK_NUMBER) {
    report(
      "$.modules.token.emission.halvingBlocks",
      `must end within ${MAX_BLOCK_NUMBER} blocks: choose a shorter one`,
    );
  }
  const allocated = allocatedSupply(spec);
  const emitted = totalEmission(emission);
  if (allocated + emitted > SUPPLY_CAP) {
    const surplus = amountText(allocated + emitted - SUPPLY_CAP);
    const sum = `${amountText(allocated)} allocated and ${amountText(emitted)} to be minted`;
    report("$", `${sum} are ${surplus} more than the cap`);
  }
}

function verifyAccounts({ accounts }: ChainSpec, report: Report): void {
  const firstAt = new Map<string, number>();
  for (const [index, account] of accounts.entries()) {
    const path = `$.accounts[${index}]`;
    const first = firstAt.get(account.address);
    if (first === undefined) firstAt.set(account.address, index);
    else report(`${path}.address`, `the same address as $.accounts[${first}]`);
    verifyAccount(account, path, report);
  }
}

function verifyAccount(account: GenesisAccount, path: string, report: Report): void {
  const { address, balance, nonce, code, storage } = account;
  if (isReservedAddress(address)) report(`${path}.address`, "belongs to the protocol: choose another");
  if (nonce === 0n && code.length === 0) {
    if (storage.size > 0) report(path, "has storage: give it code or a nonce");
    else if (balance === 0n) report(path, "is empty: give it a balance, or leave it out");
  }
  if (code.length > 0 && nonce === 0n) report(`${path}.nonce`, "a contract's nonce is at least 1");
  if (code.length > MAX_CODE_BYTES) report(`${path}.code`, `has more than ${MAX_CODE_BYTES} bytes`);
  if (code[0] === 0xef) report(`${path}.code`, "must not start with 0xef");
  for (const [slot, value] of storage) {
    if (value.length === 0) report(`${path}.storage.${slot}`, "is zero: leave it out");
  }
}

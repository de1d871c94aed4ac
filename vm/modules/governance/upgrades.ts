/**
 * Upgrades: from a block that governance has named on, the chain runs by other rules. A program that does not know them
 * must not go on, or it would execute blocks differently from the others. It stops before that block, with its data as
 * they are, and says what to do.
 */
import { bigintToBytes, bytesToBigint, utf8 } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import { governanceAbi } from "../../interfaces/abi/governance.ts";
import type { StateReader } from "../../state/reader.ts";
import { GOVERNANCE_ADDRESS } from "../addresses.ts";
import { type ModuleCall, type ModuleRevert, revertWith } from "../module-call.ts";
import { readOnlyCall } from "../read-only-call.ts";
import { listSpace, type RecordSpace, recordSpace } from "../storage.ts";
import { KNOWN_UPGRADES } from "./known-upgrades.ts";
import { MAX_HEIGHT, MAX_SCHEDULED_UPGRADES, MAX_UPGRADE_NAME_BYTES, UPGRADE_NOTICE_BLOCKS } from "./limits.ts";
import { text } from "./proposals.ts";

export interface Upgrade {
  readonly name: string;
  /** The first block by the new rules. */
  readonly height: bigint;
  readonly proposal: bigint;
}

/** Names as words. */
const scheduled = listSpace("upgrades scheduled");
/** Only ever added to, so its order is theirs. */
const active = listSpace("upgrades active");
const upgradeRecords: RecordSpace<"height" | "proposal"> = recordSpace("upgrade", ["height", "proposal"]);
/** What a proposal wants. */
const wishes: RecordSpace<"name" | "height"> = recordSpace("upgrade wish", ["name", "height"]);

const NAME = /^[a-z0-9-]+$/;

/** Whether the chain runs by the rules of that upgrade. For all modules. */
export function isUpgradeActive(call: ModuleCall, name: string): boolean {
  return isName(name) && active.has(call.in(GOVERNANCE_ADDRESS), wordOfName(name));
}

/** Why the upgrade cannot be scheduled now, moved or, with height 0, called off, if so. */
export function problemOfUpgrade(call: ModuleCall, name: string, height: bigint): ModuleRevert | undefined {
  if (!isName(name)) return revertWith(governanceAbi, "InvalidUpgradeName", [name]);
  const word = wordOfName(name);
  if (active.has(call, word)) return revertWith(governanceAbi, "UpgradeIsActive", [name]);
  const isScheduled = scheduled.has(call, word);
  if (height === 0n) return isScheduled ? undefined : revertWith(governanceAbi, "UpgradeNotScheduled", [name]);
  const least = call.environment.number + UPGRADE_NOTICE_BLOCKS;
  if (height < least || height > MAX_HEIGHT) {
    return revertWith(governanceAbi, "InvalidUpgradeHeight", [height, least, MAX_HEIGHT]);
  }
  if (isScheduled || scheduled.length(call) < MAX_SCHEDULED_UPGRADES) return undefined;
  return revertWith(governanceAbi, "TooManyUpgrades", [BigInt(MAX_SCHEDULED_UPGRADES)]);
}

export function writeWish(call: ModuleCall, id: bigint, name: string, height: bigint): void {
  wishes.set(call, "name", wordOfName(name), id);
  wishes.set(call, "height", height, id);
}

export function readWish(call: ModuleCall, id: bigint): { readonly name: string; readonly height: bigint } {
  return { name: nameOfWord(wishes.get(call, "name", id)), height: wishes.get(call, "height", id) };
}

/** Schedules, moves or calls off. Answers with why not, if so. */
export function scheduleUpgrade(call: ModuleCall, id: bigint): string | undefined {
  const { name, height } = readWish(call, id);
  const problem = problemOfUpgrade(call, name, height);
  if (problem !== undefined) return problem.message;
  const word = wordOfName(name);
  if (height === 0n) scheduled.remove(call, word);
  else scheduled.add(call, word);
  upgradeRecords.set(call, "height", height, word);
  upgradeRecords.set(call, "proposal", id, word);
  call.emit(governanceAbi, "UpgradeScheduled", { id, name, height });
  return undefined;
}

/** At the beginning of a block, before anything that goes by its rules. Throws UPGRADE_REQUIRED. */
export function activateUpgrades(call: ModuleCall, known: readonly string[]): void {
  for (const upgrade of scheduledUpgrades(call)) {
    const { name, height } = upgrade;
    if (height > call.environment.number) continue;
    if (!known.includes(name)) throw upgradeRequired(upgrade);
    const word = wordOfName(name);
    scheduled.remove(call, word);
    active.add(call, word);
    call.emit(governanceAbi, "UpgradeActivated", { name, height });
  }
}

/** Those to come. */
export function scheduledUpgrades(call: ModuleCall): readonly Upgrade[] {
  return Array.from({ length: scheduled.length(call) }, (_, index) => readUpgrade(call, scheduled.at(call, index)));
}

export function activeUpgradeCount(call: ModuleCall): number {
  return active.length(call);
}

export function activeUpgradeAt(call: ModuleCall, index: number): Upgrade {
  return readUpgrade(call, active.at(call, index));
}

/** The next upgrade, for people: the state after any block says it. */
export function upcomingUpgrade(
  state: StateReader,
  known: readonly string[] = KNOWN_UPGRADES,
): (Upgrade & { readonly isKnown: boolean }) | undefined {
  const first = scheduledUpgrades(readOnlyCall(GOVERNANCE_ADDRESS, state)).reduce<Upgrade | undefined>(
    (best, each) => (best === undefined || each.height < best.height ? each : best),
    undefined,
  );
  return first === undefined ? undefined : { ...first, isKnown: known.includes(first.name) };
}

/**
 * For a state that another program may have made, at the end of block `height`: whether this one can go on from there.
 * Throws UPGRADE_REQUIRED.
 */
export function requireKnownUpgrades(
  state: StateReader,
  height: bigint,
  known: readonly string[] = KNOWN_UPGRADES,
): void {
  const call = readOnlyCall(GOVERNANCE_ADDRESS, state);
  const begun = Array.from({ length: activeUpgradeCount(call) }, (_, index) => activeUpgradeAt(call, index));
  const next = scheduledUpgrades(call).filter((upgrade) => upgrade.height <= height + 1n);
  const unknown = [...begun, ...next].find(({ name }) => !known.includes(name));
  if (unknown !== undefined) throw upgradeRequired(unknown);
}

function upgradeRequired({ name, height }: Upgrade): CodedError<"UPGRADE_REQUIRED"> {
  return new CodedError(
    "UPGRADE_REQUIRED",
    `from block ${height} on the chain runs by the rules of upgrade "${name}", which this program does not know`,
    {
      upgrade: name,
      height: Number(height),
      hint: `Install a version of ogpu that knows "${name}" and start it with the same data, which are intact.`,
    },
  );
}

function readUpgrade(call: ModuleCall, word: bigint): Upgrade {
  return {
    name: nameOfWord(word),
    height: upgradeRecords.get(call, "height", word),
    proposal: upgradeRecords.get(call, "proposal", word),
  };
}

function isName(name: string): boolean {
  return name.length <= MAX_UPGRADE_NAME_BYTES && NAME.test(name);
}

function wordOfName(name: string): bigint {
  return bytesToBigint(utf8(name));
}

function nameOfWord(word: bigint): string {
  return text(bigintToBytes(word));
}

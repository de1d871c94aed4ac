/** How far something is, for people. */
import type { SyncProgress } from "../../chain/sync/events.ts";

const BAR_WIDTH = 24;

/** `share` from 0 to 1. */
export function bar(share: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * BAR_WIDTH);
  return `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}] ${Math.floor(share * 100)}%`;
}

/** `1:02:03`, or `2:03`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = String(whole % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

export function snapshotText(progress: SyncProgress): string {
  const { phase, height, peers, share, leaves, bytesPerSecond, secondsLeft } = progress;
  if (phase === "offers") return `looking for a snapshot among ${peers} peers`;
  if (phase === "seals") return "checking the validators of every epoch";
  if (phase === "import") return `writing the state of block ${height}: ${leaves} entries`;
  if (phase === "done") return "";
  const rate = `${(bytesPerSecond / 1e6).toFixed(1)} MB/s`;
  const left = secondsLeft === undefined ? "" : `, ${duration(secondsLeft)} left`;
  return `state of block ${height} from ${peers} peers ${bar(share)} ${rate}${left}`;
}

export interface BlockProgress {
  readonly height: number;
  readonly target: number;
  readonly blocksPerSecond: number;
}

export function blocksText({ height, target, blocksPerSecond }: BlockProgress): string {
  const left = blocksPerSecond > 0 ? `, ${duration((target - height) / blocksPerSecond)} left` : "";
  return `block ${height} of ${target} ${bar(height / target)} ${blocksPerSecond.toFixed(0)} blocks/s${left}`;
}

/** What a figure was measured on: without it, a rate says nothing. */
import { execFile } from "node:child_process";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { promisify } from "node:util";

export interface MachineFacts {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly node: string;
  /** The load when the run began: a busy machine makes poor figures. */
  readonly load: number;
  /** With `-dirty` when the working tree differs from it; `undefined` outside a git checkout. */
  readonly commit: string | undefined;
}

export async function machineFacts(): Promise<MachineFacts> {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    commit: await gitCommit(),
  };
}

async function gitCommit(): Promise<string | undefined> {
  try {
    const options = { cwd: new URL(".", import.meta.url) };
    const { stdout } = await promisify(execFile)("git", ["describe", "--always", "--dirty", "--abbrev=12"], options);
    return stdout.trim();
  } catch {
    // No git, or not a checkout: the figures are still good.
    return undefined;
  }
}

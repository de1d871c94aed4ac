/** The machine that a node would run on: Node.js, native code, memory, open files, the clock. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import { promisify } from "node:util";
import { hashPairsEngine } from "../../base/hash-pairs.ts";
import { secp256k1Engine } from "../../base/secp256k1.ts";
import { type Finding, fault, look, ok, skipped } from "./finding.ts";

const GIGABYTE = 2 ** 30;
/** A validator takes about 170 MB when idle; LevelDB, calls and snapshots take the rest. */
const LEAST_MEMORY = GIGABYTE;
const GOOD_MEMORY = 4 * GIGABYTE;
/** LevelDB keeps up to 1,000 files open, peers and clients as many sockets. */
const GOOD_FILES = 4_096;
/** Milliseconds that a tool of the system may take to answer. */
const PATIENCE = 3_000;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > 20 || (major === 20 && minor >= 19);
  return enough ? ok("Node.js", version) : fault("Node.js", `${version} is too old`, "Install Node.js 20.19 or newer.");
}

export function checkNativeCode(engines: Readonly<Record<string, "native" | "portable">>): Finding {
  const slow = Object.entries(engines).flatMap(([name, engine]) => (engine === "portable" ? [name] : []));
  if (slow.length === 0) return ok("native code", "loads");
  return look(
    "native code",
    `${slow.join(" and ")} run in JavaScript, many times slower`,
    "Run `npm run setup` on this machine: packages that were copied from another one do not fit.",
  );
}

export function checkMemory(bytes: number, cores: number): Finding {
  const found = `${(bytes / GIGABYTE).toFixed(1)} GiB, ${cores} cores`;
  if (bytes < LEAST_MEMORY) return fault("memory", found, "A node needs 1 GiB at least.");
  return bytes < GOOD_MEMORY
    ? look("memory", found, "Enough for a follower; validators and providers want 4 GiB.")
    : ok("memory", found);
}

export function checkOpenFiles(limits: string): Finding {
  const [, soft = ""] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  if (soft === "") return skipped("open files", "this system does not say how many");
  if (soft === "unlimited" || Number(soft) >= GOOD_FILES) return ok("open files", `${soft} at once`);
  return look(
    "open files",
    `only ${soft} at once`,
    `Raise the limit: ulimit -n ${GOOD_FILES}, or LimitNOFILE in a service.`,
  );
}

/** `answer` is that of `timedatectl show -p NTPSynchronized --value`. */
export function checkClockService(answer: string | undefined): Finding {
  if (answer?.trim() === "yes") return ok("clock", "kept by a time service");
  if (answer?.trim() === "no") {
    return look(
      "clock",
      "kept by no time service",
      "Turn one on: timedatectl set-ntp true. Blocks from the future wait.",
    );
  }
  return skipped("clock", "this system does not say whether a time service keeps it");
}

export async function checkMachine(): Promise<readonly Finding[]> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const clock = await promisify(execFile)("timedatectl", ["show", "-p", "NTPSynchronized", "--value"], {
    timeout: PATIENCE,
  }).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
  return [
    checkNode(process.versions.node),
    checkNativeCode({ signatures: secp256k1Engine, hashes: hashPairsEngine }),
    checkMemory(totalmem(), availableParallelism()),
    checkOpenFiles(limits),
    checkClockService(clock),
  ];
}

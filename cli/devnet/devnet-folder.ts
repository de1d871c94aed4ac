/**
 * The folder of a devnet:
 *
 *   devnet.json       what is remembered: ports, and which validators have signed
 *   spec.json         the chain spec, also for nodes that follow
 *   validator-N/      the data of a validator (see chain/runtime/open-node.ts), and its node's key
 *   validator-N.log   what it logged
 *   provider-N/, .log the same of a provider
 *   lock/             held by the process that runs the devnet
 */
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CodedError, isCoded, systemCodeOf } from "../../base/errors.ts";
import { type FolderLock, lockFolder } from "../../chain/wal/folder-lock.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { INVALID, integer, list, object, optional, type Problem, type Shape } from "../../genesis/shape.ts";
import { chainSpecJson } from "../../genesis/write-chain-spec.ts";
import { makeFolder } from "../make-folder.ts";
import { readSpec } from "../spec-file.ts";

export interface RememberedValidator {
  readonly p2pPort: number;
  readonly rpcPort: number;
  /** It has a log since then: a folder without one was lost. 1 or 0. */
  readonly hasStarted: number;
}

export interface DevnetState {
  readonly version: 1;
  readonly validators: readonly RememberedValidator[];
  readonly providerPorts: readonly number[];
}

const MAX_VALIDATORS = 1_000;
const port = integer(0, 65_535);

const stateShape: Shape<{
  readonly version: number;
  readonly validators: readonly RememberedValidator[];
  readonly providerPorts: readonly number[];
}> = object({
  version: integer(1, 1),
  validators: list(
    object<RememberedValidator>({ p2pPort: port, rpcPort: port, hasStarted: optional(integer(0, 1), 0) }),
    MAX_VALIDATORS,
  ),
  providerPorts: optional(list(port, MAX_VALIDATORS), []),
});

const OWN = /^(devnet\.json(\.new)?|spec\.json|(validator|provider)-\d+|(validator|provider)-\d+\.log(\.old)?)$/;
/** What devnets of one process left in their folder. */
const EARLIER =
  /^(CURRENT|LOCK|LOG(\.old)?|MANIFEST-\d+|\d+\.(ldb|log)|chain|consensus|sync|mempool\.journal|node\.key)$/;
const LOCK = "lock";

export class DevnetFolder {
  readonly directory: string;
  readonly #lock: FolderLock;

  private constructor(directory: string, lock: FolderLock) {
    this.directory = directory;
    this.#lock = lock;
  }

  /** Throws DEVNET_RUNNING, DEVNET_FOREIGN_FILES, or DEVNET_EARLIER unless what is there may be deleted. */
  static async open(directory: string, mayDelete: boolean): Promise<DevnetFolder> {
    await makeFolder(directory);
    await checkEntries(directory, mayDelete);
    try {
      return new DevnetFolder(directory, await lockFolder(directory));
    } catch (error) {
      if (!isCoded(error, "WAL_LOCKED")) throw error;
      throw new CodedError("DEVNET_RUNNING", `another process runs the devnet in ${directory}`, {
        directory,
        hint: "Use that one, stop it first, or choose another folder with --data-dir.",
      });
    }
  }

  get specPath(): string {
    return join(this.directory, "spec.json");
  }

  validatorFolder(index: number): string {
    return join(this.directory, `validator-${index}`);
  }

  logPath(index: number): string {
    return join(this.directory, `validator-${index}.log`);
  }

  providerFolder(index: number): string {
    return join(this.directory, `provider-${index}`);
  }

  providerLogPath(index: number): string {
    return join(this.directory, `provider-${index}.log`);
  }

  /** `undefined` in a new folder. Throws DEVNET_DAMAGED. */
  async load(): Promise<{ readonly spec: ChainSpec; readonly state: DevnetState } | undefined> {
    const text = await readFile(join(this.directory, "devnet.json"), "utf8").catch((error: unknown) => {
      if (systemCodeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (text === undefined) return undefined;
    return { spec: await readSpec(this.specPath), state: readState(text, this.directory) };
  }

  async create(spec: ChainSpec, state: DevnetState): Promise<void> {
    await writeFile(this.specPath, `${JSON.stringify(chainSpecJson(spec), null, 2)}\n`);
    await this.save(state);
  }

  async save(state: DevnetState): Promise<void> {
    const path = join(this.directory, "devnet.json");
    await writeFile(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`);
    await rename(`${path}.new`, path);
  }

  /** Deletes the chain, and nothing that is not a devnet's. */
  async clear(): Promise<void> {
    // What says that this is a devnet goes last.
    const entries = (await readdir(this.directory)).filter((name) => name !== LOCK && name !== "devnet.json");
    const old = entries.filter((name) => OWN.test(name) || EARLIER.test(name));
    for (const name of [...old, "devnet.json"]) await rm(join(this.directory, name), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await this.#lock.release();
  }
}

async function checkEntries(directory: string, mayDelete: boolean): Promise<void> {
  const entries = (await readdir(directory)).filter((name) => name !== LOCK);
  if (entries.length === 0 || entries.includes("devnet.json")) return;
  const foreign = entries.find((name) => !OWN.test(name) && !EARLIER.test(name));
  if (foreign !== undefined) {
    throw new CodedError("DEVNET_FOREIGN_FILES", `${directory} is no devnet's folder: it has ${foreign}`, {
      directory,
      hint: "Choose another folder with --data-dir.",
    });
  }
  if (mayDelete) return;
  throw new CodedError(
    "DEVNET_EARLIER",
    `${directory} has a chain of an earlier version, or one that was not finished`,
    {
      directory,
      hint: "Choose another folder with --data-dir, or start over with --fresh: that deletes the chain.",
    },
  );
}

function readState(text: string, directory: string): DevnetState {
  const problems: Problem[] = [];
  const read = stateShape.read(parsed(text), "$", (path, message) => problems.push({ path, message }));
  if (read !== INVALID) return { version: 1, validators: read.validators, providerPorts: read.providerPorts };
  const { path, message } = problems[0] ?? { path: "$", message: "is not JSON" };
  throw new CodedError("DEVNET_DAMAGED", `${join(directory, "devnet.json")}: ${path} ${message}`, {
    hint: "Start over with --fresh: that deletes the chain.",
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** From the options of a node to what it runs with. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Hex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { parseListenAddress, parsePeerAddress } from "../../chain/network/address.ts";
import { type LogLevels, parseLogLevels } from "../../chain/observe/log-levels.ts";
import { DEFAULT_LIMITS, type StoreLimits } from "../../chain/store/limits.ts";
import type { Checkpoint } from "../../chain/sync/seal-chain.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { DEFAULT_P2P_PORT } from "../defaults.ts";
import { readValue, usageError } from "../failure.ts";
import { readSpec } from "../spec-file.ts";
import type { NodeOptions } from "./node-options.ts";
import { type RpcOptions, rpcOptions } from "./rpc-settings.ts";
import type { ValidatorKey } from "./validator-key.ts";

export interface NodeSettings {
  readonly spec: ChainSpec;
  readonly dataDir: string;
  /** A node without one follows. */
  readonly key: ValidatorKey | undefined;
  /** Of verifiers that run in the same process. */
  readonly verifiers: readonly Uint8Array[];
  readonly rpc: RpcOptions | undefined;
  /** Megabytes for blobs at the RPC's address. */
  readonly blobSpace: number;
  readonly listen: readonly string[];
  readonly announce: readonly string[];
  readonly bootstrap: readonly string[];
  readonly persistent: readonly string[];
  readonly mdns: boolean;
  readonly archive: boolean;
  readonly fromGenesis: boolean;
  readonly nearBlocks: number;
  readonly checkpoint: Checkpoint | undefined;
  /** The last block of the folder, vouched for. */
  readonly trustBlock: Hex | undefined;
  readonly log: LogLevels & { readonly json: boolean };
  readonly limits: Partial<StoreLimits>;
  readonly stopWithInput: boolean;
}

/** `path` is how the command is called, for messages. */
export function nodeSettings(
  options: NodeOptions,
  path: string,
  spec: ChainSpec,
  key: ValidatorKey | undefined,
  verifiers: readonly Uint8Array[] = [],
): NodeSettings {
  const { dataDir, announce, bootstrap, persistentPeer: persistent, mdns, archive } = options;
  // Now, and not when the chain is open: whoever mistyped one learns it at once.
  for (const each of announce) readValue("--announce", each, path, parseListenAddress);
  for (const each of bootstrap) readValue("--bootstrap", each, path, parsePeerAddress);
  for (const each of persistent) readValue("--persistent-peer", each, path, parsePeerAddress);
  const hasPeers = bootstrap.length + persistent.length > 0 || mdns;
  return {
    ...{ spec, dataDir, key, verifiers, announce, bootstrap, persistent, mdns, archive },
    rpc: rpcOptions(options, path),
    blobSpace: options.blobSpace,
    listen: listenAddresses(options, path),
    // Where nobody is to be found, waiting for somebody with a snapshot would be in vain.
    fromGenesis: options.fromGenesis || archive || !hasPeers,
    nearBlocks: options.nearBlocks,
    checkpoint: checkpointOf(options.checkpoint, path),
    trustBlock: trustBlockOf(options.trustBlock, path),
    log: { ...readValue("--log-level", options.logLevel, path, parseLogLevels), json: options.logJson },
    limits: limitsFor(options.cache),
    stopWithInput: options.stopWithInput,
  };
}

export async function specOf({ network, spec, dataDir }: NodeOptions, path: string): Promise<ChainSpec> {
  if (network !== undefined && spec !== undefined) {
    throw usageError("--network and --spec both say which network", `See: ${path} --help`);
  }
  const named = network ?? spec;
  if (named !== undefined) return readSpec(named);
  throw usageError(
    "which network? give --network <name>, or --spec <file>",
    (await isDevnetFolder(dataDir))
      ? `For the devnet of this folder: ${path} --spec ${join(dataDir, "spec.json")}`
      : `See: ${path} --help`,
  );
}

async function isDevnetFolder(dataDir: string): Promise<boolean> {
  return readFile(join(dataDir, "devnet.json")).then(
    () => true,
    () => false,
  );
}

function listenAddresses({ listen, p2pPort }: NodeOptions, path: string): readonly string[] {
  if (listen.length === 0) return [`/ip4/0.0.0.0/tcp/${p2pPort ?? DEFAULT_P2P_PORT}`];
  if (p2pPort === undefined) return listen.map((each) => readValue("--listen", each, path, parseListenAddress));
  throw usageError("--listen and --p2p-port both say where to listen", `See: ${path} --help`);
}

function checkpointOf(text: string | undefined, path: string): Checkpoint | undefined {
  if (text === undefined) return undefined;
  return readValue("--checkpoint", text, path, () => {
    const [, epoch, hash] = /^(\d{1,15}):(0x[0-9a-f]{64})$/i.exec(text) ?? [];
    if (epoch === undefined || hash === undefined) {
      throw new CodedError("CHECKPOINT_INVALID", "write epoch:hash, such as 12:0x5c50...b2a1 with all 64 digits");
    }
    return { epoch: Number(epoch), hash: hash.toLowerCase() as Hex };
  });
}

function trustBlockOf(text: string | undefined, path: string): Hex | undefined {
  if (text === undefined) return undefined;
  return readValue("--trust-block", text, path, () => {
    if (/^0x[0-9a-f]{64}$/i.test(text)) return text.toLowerCase() as Hex;
    throw new CodedError("BLOCK_HASH_INVALID", "write the hash of a block, 0x and 64 digits");
  });
}

const MEGABYTE = 1024 * 1024;

/** Half for pages of the state tree, a quarter for LevelDB, the rest for accounts, slots and code. */
function limitsFor(megabytes: number): Partial<StoreLimits> {
  const share = (parts: number): number => Math.floor((megabytes * MEGABYTE) / parts);
  const records = Math.floor(share(10) / 300);
  return {
    cachedPageBytes: share(2),
    databaseCacheBytes: share(4),
    writeBufferBytes: Math.min(DEFAULT_LIMITS.writeBufferBytes, Math.max(MEGABYTE, share(8))),
    cachedCodeBytes: share(16),
    cachedAccounts: records,
    cachedSlots: records,
  };
}

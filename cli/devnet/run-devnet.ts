/** The development chain: composes a node of one validator with its RPC, and says what is going on. */
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { checksumAddress } from "../base/address.ts";
import { bls } from "../base/bls.ts";
import { bytesToHex, hexToBytes } from "../base/bytes.ts";
import { isCoded } from "../base/errors.ts";
import { formatOgpu } from "../base/units.ts";
import { blsSigner } from "../chain/consensus/bls-crypto.ts";
import type { Node } from "../chain/runtime/node.ts";
import { openNode } from "../chain/runtime/open-node.ts";
import { type ChainHead, ChainStore } from "../chain/store/chain-store.ts";
import type { ChainSpec } from "../genesis/chain-spec.ts";
import { developmentValidatorKey, developmentValidators } from "../genesis/development-validators.ts";
import manifest from "../package.json" with { type: "json" };
import { type RpcServer, startRpcServer } from "../rpc/server.ts";
import type { Address } from "../vm/state/account.ts";
import type { CommandContext } from "./command.ts";
import { DEFAULT_RPC_PORT } from "./defaults.ts";
import { readSpec } from "./spec-file.ts";
import { testAccount } from "./test-accounts.ts";
import { TEST_ACCOUNTS, TEST_MNEMONIC } from "./test-mnemonic.ts";

/** Ports that are tried when nobody asked for a certain one. */
const PORTS_TRIED = 10;
/** The proposer of the devnet is the test account after the funded ones, so that no balance there moves by itself. */
const PROPOSER_INDEX = TEST_ACCOUNTS;

export interface DevnetOptions {
  readonly dataDir: string;
  readonly fresh: boolean;
  readonly spec: string | undefined;
  readonly rpcPort: number | undefined;
  readonly rpcHost: string;
  readonly archive: boolean;
}

/** Runs until `signal` is aborted. */
export async function runDevnet(options: DevnetOptions, signal: AbortSignal, context: CommandContext): Promise<void> {
  const spec = { ...(await readSpec(options.spec ?? "devnet")), validators: developmentValidators(1, bls) };
  if (options.fresh) {
    // Before anything is deleted: who cannot start must not lose the old chain by trying.
    if (options.rpcPort !== undefined) await tryListening(options.rpcHost, options.rpcPort);
    await deleteChain(options.dataDir);
  }
  const failed = new AbortController();
  const { node: chain, close } = await openNode({
    spec,
    directory: options.dataDir,
    signer: blsSigner(bls, developmentValidatorKey(0, bls)),
    isNewKey: true,
    coinbase: testAccount(PROPOSER_INDEX).address,
    ...(options.archive && { archive: true }),
    onFailure: (error) => failed.abort(error),
  });
  try {
    const server = await listen(chain, options.rpcHost, options.rpcPort, context);
    try {
      announce(spec, chain, server, options.dataDir, context);
      chain.onBlock((head) => reportBlock(chain, head, context));
      await aborted(AbortSignal.any([signal, failed.signal]));
      failed.signal.throwIfAborted();
      context.progress("stopping");
    } finally {
      await server.close();
    }
  } finally {
    await close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Throws what listening there would throw. */
async function tryListening(host: string, port: number): Promise<void> {
  const server = createServer();
  const listening = once(server, "listening");
  server.listen(port, host);
  await listening;
  const closed = once(server, "close");
  server.close();
  await closed;
}

/** Deletes a chain database and nothing else: not one in use, and no folder with other files in it. */
async function deleteChain(directory: string): Promise<void> {
  try {
    const store = await ChainStore.open(join(directory, "chain"), { forImport: true });
    await store.close();
  } catch (error) {
    if (isCoded(error, "STORE_MISSING")) return;
    // A database that cannot be used is a reason to start over; one that is in use, or is none, is not.
    if (!isCoded(error, "STORE_DAMAGED", "STORE_NEWER_SCHEMA")) throw error;
  }
  await rm(directory, { recursive: true });
}

async function listen(
  chain: Node,
  host: string,
  wanted: number | undefined,
  context: CommandContext,
): Promise<RpcServer> {
  const clientVersion = `ogpu/v${manifest.version}/${process.platform}-${process.arch}/node${process.versions.node}`;
  const onBug = (method: string, error: unknown): void => {
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
    context.report({ event: "bug", method, details }, `BUG in ${method}: ${details}`);
  };
  const last = wanted ?? DEFAULT_RPC_PORT + PORTS_TRIED - 1;
  for (let port = wanted ?? DEFAULT_RPC_PORT; ; port++) {
    try {
      return await startRpcServer({ chain, host, port, clientVersion, onBug });
    } catch (error) {
      if (!isCoded(error, "RPC_PORT_TAKEN") || port === last) throw error;
      context.progress(`port ${port} is taken, trying the next one`);
    }
  }
}

function announce(
  spec: ChainSpec,
  chain: Node,
  { url, port }: RpcServer,
  dataDir: string,
  { report }: CommandContext,
): void {
  const accounts = fundedTestAccounts(spec);
  const height = chain.head.number;
  const lines = [
    `OpenGPU devnet: chain "${spec.name}", id ${spec.chainId}, ${height === 0 ? "new" : `at block ${height}`}, in ${dataDir}`,
    "",
    ...accounts.map(({ index, address }) => {
      const balance = formatOgpu(chain.stateAt(height).account(address)?.balance ?? 0n);
      return `  ${String(index).padStart(2)}  ${checksumAddress(hexToBytes(address))}  ${balance} oGPU`;
    }),
    ...(accounts.length === 0 ? ["  (no test account is funded in this chain)", ""] : KNOWN_KEYS),
  ];
  const facts = { chainId: Number(spec.chainId), name: spec.name, height, dataDir, accounts };
  const mnemonic = accounts.length === 0 ? {} : { mnemonic: TEST_MNEMONIC };
  report({ event: "started", ...facts, ...mnemonic }, lines.join("\n"));
  // On a line of its own: programs wait for READY and take the rest of that line as the address.
  const elsewhere = port === DEFAULT_RPC_PORT ? "" : `\n(other ogpu commands find it with --rpc ${url})`;
  report({ event: "ready", url, port }, `READY ${url}${elsewhere}`);
}

const KNOWN_KEYS = [
  "",
  `  mnemonic: ${TEST_MNEMONIC}`,
  "  WARNING: everybody knows these keys. Never send them anything on a public network.",
  "",
];

/** By their numbers in the mnemonic, which `--from` takes, whether or not the spec funds those before them. */
function fundedTestAccounts(spec: ChainSpec): readonly { readonly index: number; readonly address: Address }[] {
  const funded = new Set(spec.accounts.map(({ address }) => address));
  const all = Array.from({ length: TEST_ACCOUNTS }, (_, index) => ({ index, address: testAccount(index).address }));
  return all.filter(({ address }) => funded.has(address));
}

function reportBlock(chain: Node, { number, hash, header }: ChainHead, { report }: CommandContext): void {
  const transactions = chain.body(number)?.transactions.length ?? 0;
  const noun = transactions === 1 ? "transaction" : "transactions";
  report(
    { event: "block", number, hash, transactions, gasUsed: Number(header.gasUsed) },
    `block ${number} ${bytesToHex(hash)}: ${transactions} ${noun}, ${header.gasUsed} gas`,
  );
}

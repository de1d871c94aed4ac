/** What a devnet says of itself, for people and for programs. */
import { checksumAddress } from "../../base/address.ts";
import { hexToBytes } from "../../base/bytes.ts";
import { formatOgpu } from "../../base/units.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { testAccount } from "../../rpc/development/test-accounts.ts";
import { TEST_ACCOUNTS, TEST_MNEMONIC } from "../../rpc/development/test-mnemonic.ts";
import type { Address } from "../../vm/state/account.ts";
import type { CommandContext } from "../command.ts";
import { DEFAULT_RPC_PORT } from "../defaults.ts";
import { callQuantity } from "../json-rpc-client.ts";
import type { ChildEnd, ChildEvent } from "./validator-process.ts";

type Started = Extract<ChildEvent, { readonly event: "started" }>;
type FinalBlock = Extract<ChildEvent, { readonly event: "block" }>;

export interface VoiceOptions {
  readonly spec: ChainSpec;
  readonly directory: string;
  readonly count: number;
  readonly context: CommandContext;
  /** What else has to be there before people are told to begin. */
  beforeReady(url: string): Promise<void>;
}

interface RunningValidator {
  readonly index: number;
  readonly pid: number;
  readonly url: string;
  readonly address: string;
}

const KNOWN_KEYS = [
  "",
  `  mnemonic: ${TEST_MNEMONIC}`,
  "  WARNING: everybody knows these keys. Never send them anything on a public network.",
  "",
];

export class DevnetVoice {
  readonly #options: VoiceOptions;
  readonly #running = new Map<number, RunningValidator>();
  #startHeight = 0;
  /** The last block that was told. */
  #told = 0;
  #waiting: FinalBlock[] = [];
  /** Those that have their peers. */
  readonly #connected = new Set<number>();
  #isAnnounced = false;
  #isReady = false;

  constructor(options: VoiceOptions) {
    this.#options = options;
  }

  started(index: number, { pid, rpc: url, height }: Started, address: string): void {
    const { report, event } = this.#options.context;
    const isBack = this.#isAnnounced && !this.#running.has(index);
    const validator = { index, pid, url, address };
    this.#running.set(index, validator);
    if (isBack) report({ event: "validator", state: "started", ...validator }, `validator ${index} runs again`);
    else event({ event: "validator", state: "started", ...validator });
    this.#startHeight = Math.max(this.#startHeight, height);
    if (this.#running.size === this.#options.count && !this.#isAnnounced) void this.#announce();
  }

  ended(index: number, { code, signal, failure }: ChildEnd, restartIn: number): void {
    this.#running.delete(index);
    const reason = failure === undefined ? `ended with ${signal ?? code}` : `[${failure.code}] ${failure.message}`;
    this.#options.context.report(
      { event: "validator", state: "ended", index, code, signal, failure, restartIn },
      `validator ${index} is down: ${reason}; it starts again in ${restartIn / 1000} s`,
    );
  }

  /** Told once, by whoever has it first. */
  block(index: number, block: FinalBlock): void {
    if (!this.#isAnnounced) {
      if (this.#waiting.every(({ number }) => number !== block.number)) this.#waiting.push(block);
      return;
    }
    this.#tell(block);
    // Whoever reads READY asks the first validator.
    if (index === 0) this.#ready();
  }

  /** A validator has found its peers. */
  connected(index: number): void {
    this.#connected.add(index);
    this.#readyIfContinued();
  }

  stillWaiting(): void {
    if (this.#isReady) return;
    const { context, directory } = this.#options;
    context.progress(`still no final block: the validators' logs are in ${directory}`);
  }

  #tell({ number, hash, transactions, gasUsed }: FinalBlock): void {
    if (number <= this.#told) return;
    this.#told = number;
    const noun = transactions === 1 ? "transaction" : "transactions";
    this.#options.context.report(
      { event: "block", number, hash, transactions, gasUsed },
      `block ${number} ${hash}: ${transactions} ${noun}, ${gasUsed} gas`,
    );
  }

  async #announce(): Promise<void> {
    const { spec, directory, context } = this.#options;
    const validators = [...this.#running.values()].sort((a, b) => a.index - b.index);
    const url = validators[0]?.url ?? "";
    const accounts = fundedTestAccounts(spec);
    const height = this.#startHeight;
    const lines = [
      `OpenGPU devnet: chain "${spec.name}", id ${spec.chainId}, ${height === 0 ? "new" : `at block ${height}`}, in ${directory}`,
      "",
      ...validators.map((each) => `  validator ${each.index}  ${each.url}  ${each.address}`),
      "",
      ...(await Promise.all(accounts.map((account) => accountLine(url, account)))),
      ...(accounts.length === 0 ? ["  (no test account is funded in this chain)", ""] : KNOWN_KEYS),
    ];
    const facts = { chainId: Number(spec.chainId), name: spec.name, height, dataDir: directory, validators, accounts };
    const mnemonic = accounts.length === 0 ? {} : { mnemonic: TEST_MNEMONIC };
    context.report({ event: "started", ...facts, ...mnemonic }, lines.join("\n"));
    this.#isAnnounced = true;
    const waiting = this.#waiting.sort((a, b) => a.number - b.number);
    this.#waiting = [];
    for (const block of waiting) this.#tell(block);
    await this.#readyIfFinal(url);
  }

  /** The first validator may have had its block before the others were there. */
  async #readyIfFinal(url: string): Promise<void> {
    const height = await callQuantity(url, "eth_blockNumber", []).catch(() => 0n);
    if (height > BigInt(this.#startHeight)) this.#ready();
    else this.#readyIfContinued();
  }

  /**
   * A chain that has final blocks goes on when a quorum is together: its next block is due when somebody sends a
   * transaction, or after the heartbeat. A new chain has to show that its validators agree.
   */
  #readyIfContinued(): void {
    const isQuorum = 3 * this.#connected.size > 2 * this.#options.count && this.#connected.has(0);
    if (this.#isAnnounced && this.#startHeight > 0 && isQuorum) this.#ready();
  }

  #ready(): void {
    const url = this.#running.get(0)?.url;
    if (this.#isReady || url === undefined) return;
    this.#isReady = true;
    void this.#options.beforeReady(url).then(() => this.#sayReady(url));
  }

  #sayReady(url: string): void {
    const port = Number(new URL(url).port);
    // On a line of its own: programs wait for READY and take the rest of that line as the address.
    const elsewhere = port === DEFAULT_RPC_PORT ? "" : `\n(other ogpu commands find it with --rpc ${url})`;
    this.#options.context.report({ event: "ready", url, port }, `READY ${url}${elsewhere}`);
  }
}

interface FundedAccount {
  readonly index: number;
  readonly address: Address;
}

async function accountLine(url: string, { index, address }: FundedAccount): Promise<string> {
  const balance = await callQuantity(url, "eth_getBalance", [address, "latest"]).then(formatOgpu, () => "?");
  return `  ${String(index).padStart(2)}  ${checksumAddress(hexToBytes(address))}  ${balance} oGPU`;
}

/** By their numbers in the mnemonic, which `--from` takes, whether or not the spec funds those before them. */
function fundedTestAccounts(spec: ChainSpec): readonly FundedAccount[] {
  const funded = new Set(spec.accounts.map(({ address }) => address));
  const all = Array.from({ length: TEST_ACCOUNTS }, (_, index) => ({ index, address: testAccount(index).address }));
  return all.filter(({ address }) => funded.has(address));
}

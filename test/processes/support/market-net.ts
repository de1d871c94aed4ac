/**
 * A devnet with verifiers for scenarios of the market, which run at the same time: each has a tier of hardware, a client and
 * providers of its own, so that none bids for another's jobs. What honest parties have to do has much time, since a busy
 * machine is no offence; phases end as soon as everybody has acted.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPublicClient, createWalletClient, defineChain, http, parseEventLogs } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { newDevnetSpec } from "../../../cli/devnet/devnet-spec.ts";
import type { ChainSpec } from "../../../genesis/chain-spec.ts";
import type { EconomyParameters } from "../../../genesis/economy.ts";
import { chainSpecJson } from "../../../genesis/write-chain-spec.ts";
import { type MarketActions, marketActions } from "../../../rpc/client/market-actions.ts";
import type { MarketJob } from "../../../rpc/client/market-answers.ts";
import { ogpuModules } from "../../../rpc/client/modules.ts";
import { type OgpuActions, ogpuActions } from "../../../rpc/client/ogpu-actions.ts";
import { ogpuWalletActions } from "../../../rpc/client/ogpu-wallet-actions.ts";
import { testAccount } from "../../../rpc/development/test-accounts.ts";
import { eventually, ogpuJson, Running, startDevnet } from "../../cli/support/ogpu-process.ts";
import { ProviderProcess } from "./provider-process.ts";

/** Test accounts from here on are for providers; the first ones are clients. */
const FIRST_PROVIDER = 20;
const PROVIDERS = 40;

const PATIENT: Changes = {
  market: {
    revealSeconds: 180n,
    segmentSeconds: 60n,
    attestSeconds: 20n,
    maxAttempts: 50n,
    liableSeconds: 600n,
    answerSeconds: 45n,
  },
  verification: { sealSeconds: 90n, openSeconds: 60n, revealSeconds: 60n, publishSeconds: 60n },
  verifiers: { exitSeconds: 600n },
};

type Changes = Readonly<{ [Module in keyof EconomyParameters]?: Partial<EconomyParameters[Module]> }>;

export interface Punishment {
  readonly account: Hex;
  readonly reason: number;
  readonly fromLock: bigint;
  readonly fromCollateral: bigint;
  readonly toVictim: bigint;
}

export class MarketNet {
  readonly url: string;
  readonly chain: OgpuActions & MarketActions;
  readonly directory: string;
  readonly #log: () => string;
  #stages = 0;
  #providers = 0;

  private constructor(directory: string, { url, log }: Pick<Running, "url" | "log">) {
    this.directory = directory;
    this.url = url;
    this.#log = log;
    const client = createPublicClient({ transport: http(url), pollingInterval: 100 });
    this.chain = { ...ogpuActions(client), ...marketActions(client) };
  }

  /** With other parameters than usual, where a scenario is about their end. */
  static async start(changes: Changes = {}, ...args: readonly string[]): Promise<MarketNet> {
    const directory = mkdtempSync(join(tmpdir(), "ogpu-market-"));
    const spec = withChanges(withChanges(await devnetSpec(), PATIENT), changes);
    const file = join(directory, "spec.json");
    writeFileSync(file, JSON.stringify(chainSpecJson(spec)));
    return new MarketNet(directory, await startDevnet(join(directory, "devnet"), "--spec", file, ...args));
  }

  async end(): Promise<void> {
    await ProviderProcess.stopAll();
    await Running.endAll(this.directory);
  }

  /** Runs a scenario on a stage of its own; its providers end with it. */
  async play<Result>(scenario: (stage: Stage) => Promise<Result>): Promise<Result> {
    const stage = new Stage(this, this.#stages++);
    try {
      return await scenario(stage);
    } catch (error) {
      throw new Error(`${String(error)}\n${await this.#account(stage)}`, { cause: error });
    } finally {
      await stage.end();
    }
  }

  /** What a failure is looked into by: what the providers said, and what happened to the stage's jobs. */
  async #account(stage: Stage): Promise<string> {
    const { address, abi } = ogpuModules.market;
    const client = createPublicClient({ transport: http(this.url) });
    const logs = await client.getLogs({ address, fromBlock: 0n, toBlock: "latest" }).catch(() => []);
    const events = parseEventLogs({ abi, logs }).map(
      (log) => `block ${log.blockNumber}: ${log.eventName} ${text(log.args)}`,
    );
    return [...stage.story(), ...events, this.#log()].join("\n");
  }

  /** The number of a test account that no other provider has. */
  nextProvider(): number {
    return FIRST_PROVIDER + this.#providers++;
  }

  /** Events of the market that name a job, in their order. */
  async #eventsOf(name: "Punished" | "JobChanged" | "Awarded" | "Answered", job: bigint): Promise<readonly unknown[]> {
    const { address, abi } = ogpuModules.market;
    const client = createPublicClient({ transport: http(this.url) });
    const logs = await client.getLogs({ address, fromBlock: 0n, toBlock: "latest" });
    const found = parseEventLogs({ abi, eventName: name, logs });
    return found.map(({ args }) => args).filter((args) => (args as { job: bigint }).job === job);
  }

  async punishmentsOf(job: bigint): Promise<readonly Punishment[]> {
    const found = (await this.#eventsOf("Punished", job)) as readonly Punishment[];
    return found.map((one) => ({ ...one, account: one.account.toLowerCase() as Hex }));
  }

  /** What the winner of the job's first auction asked for: also what is reserved of it, where it was the only one. */
  async priceOf(job: bigint): Promise<bigint> {
    const [award] = (await this.#eventsOf("Awarded", job)) as readonly { price: bigint }[];
    if (award === undefined) throw new Error(`job ${job} was never awarded`);
    return award.price;
  }

  /** Demands of the job that somebody has answered. */
  async answersOf(job: bigint): Promise<number> {
    return (await this.#eventsOf("Answered", job)).length;
  }

  /** The reasons of all changes of a job so far: unlike a state, a change cannot be missed. */
  async reasonsOf(job: bigint): Promise<readonly number[]> {
    return ((await this.#eventsOf("JobChanged", job)) as readonly { reason: number }[]).map(({ reason }) => reason);
  }
}

/** What one scenario has to itself. */
export class Stage {
  readonly net: MarketNet;
  readonly tier: number;
  /** The number of the client's test account. */
  readonly client: number;
  readonly #cast: ProviderProcess[] = [];

  constructor(net: MarketNet, index: number) {
    this.net = net;
    this.tier = index;
    this.client = index;
  }

  get chain(): OgpuActions & MarketActions {
    return this.net.chain;
  }

  /** Registered, with a device of the stage's tier. */
  async provider(fault = "honest"): Promise<ProviderProcess> {
    const account = this.net.nextProvider();
    const folder = join(this.net.directory, `provider-${account}`);
    mkdirSync(folder);
    const provider = await ProviderProcess.start(fault, this.net.url, { account, folder, tier: this.tier });
    this.#cast.push(provider);
    return provider;
  }

  story(): readonly string[] {
    return this.#cast.flatMap(({ address, lines }) => lines.map((line) => `${address}: ${JSON.stringify(line)}`));
  }

  async end(): Promise<void> {
    await Promise.all(this.#cast.map((provider) => provider.stop("SIGKILL")));
  }

  /** Options of commands that send for the client. */
  get asClient(): readonly string[] {
    return ["--rpc", this.net.url, "--from", String(this.client)];
  }

  /** Of commands that offer work to the stage's providers. */
  get terms(): readonly string[] {
    return [...this.asClient, "--tier", String(this.tier)];
  }

  async submit(...args: readonly string[]): Promise<bigint> {
    return BigInt((await ogpuJson<{ job: string }>("job", "submit", ...this.terms, "--detach", ...args)).job);
  }

  async jobWhen(id: bigint, isIt: (job: MarketJob) => boolean): Promise<MarketJob> {
    return await eventually(async () => {
      const job = await this.chain.getJob({ job: id });
      return isIt(job) ? job : undefined;
    });
  }

  async over(id: bigint): Promise<MarketJob> {
    return await this.jobWhen(id, ({ status }) => status >= 6);
  }

  /** The first job of the stage's client. */
  async firstJob(): Promise<bigint> {
    const args = [testAccount(this.client).address, 0n, 1n] as const;
    return await eventually(async () => {
      const [job] = await this.chain.readModule({ module: "market", functionName: "jobsOfClient", args });
      return job;
    });
  }

  async changedFor(id: bigint, reason: number): Promise<void> {
    await eventually(async () => ((await this.net.reasonsOf(id)).includes(reason) ? true : undefined));
  }

  async punished(id: bigint): Promise<readonly Punishment[]> {
    return await eventually(async () => {
      const found = await this.net.punishmentsOf(id);
      return found.length > 0 ? found : undefined;
    });
  }

  async collateralOf(provider: Hex): Promise<bigint> {
    const read = { module: "providers", functionName: "providerOf", args: [provider] } as const;
    const { free, reserved } = await this.chain.readModule(read);
    return free + reserved;
  }

  /** Of a trust lock: all of it, and what is set aside for jobs. */
  async lockOf(owner: Hex): Promise<{ readonly locked: bigint; readonly allocated: bigint }> {
    const read = { module: "trustLock", functionName: "accountOf", args: [owner] } as const;
    const [locked, , allocated] = await this.chain.readModule(read);
    return { locked, allocated };
  }

  /** What of the client's trust lock stands for jobs. */
  async allocated(): Promise<bigint> {
    return (await this.lockOf(testAccount(this.client).address)).allocated;
  }

  /** A call of the market by the client, which must succeed in its block. */
  async call(functionName: "demandOutput", args: readonly [bigint, number, bigint], value: bigint): Promise<void> {
    const hash = await (await this.#wallet()).writeModule({ module: "market", functionName, args, value });
    const client = createPublicClient({ transport: http(this.net.url), pollingInterval: 100 });
    const { status } = await client.waitForTransactionReceipt({ hash });
    if (status !== "success") throw new Error(`${functionName} failed in its block`);
  }

  async #wallet(): Promise<ReturnType<typeof ogpuWalletActions>> {
    const { chainId: id } = await this.chain.getStatus();
    const nativeCurrency = { name: "oGPU", symbol: "oGPU", decimals: 18 };
    const rpcUrls = { default: { http: [this.net.url] } };
    const chain = defineChain({ id, name: "devnet", nativeCurrency, rpcUrls });
    const account = privateKeyToAccount(bytesToHex(testAccount(this.client).privateKey));
    return ogpuWalletActions(createWalletClient({ account, chain, transport: http(this.net.url) }));
  }
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part));
}

async function devnetSpec(): Promise<ChainSpec> {
  const spec = await newDevnetSpec({ spec: undefined, validators: 1 }, Date.now());
  const [sample] = spec.accounts;
  if (sample === undefined) throw new Error("a devnet has test accounts");
  const providers = Array.from({ length: PROVIDERS }, (_, index) => {
    const { address } = testAccount(FIRST_PROVIDER + index);
    return { ...sample, address, note: `provider ${index}`, balance: 1_000n * OGPU };
  });
  return { ...spec, accounts: [...spec.accounts, ...providers] };
}

function withChanges(spec: ChainSpec, changes: Changes): ChainSpec {
  const changed = Object.entries(changes).map(([name, values]) => {
    return [name, { ...spec.modules[name as keyof EconomyParameters], ...values }] as const;
  });
  return { ...spec, modules: { ...spec.modules, ...Object.fromEntries(changed) } };
}

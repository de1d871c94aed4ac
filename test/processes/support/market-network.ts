/** A devnet whose parameters a test chooses, with providers and verifiers that are honest or not, and what it did to them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Abi,
  type Chain,
  type ContractEventName,
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  type ParseEventLogsReturnType,
  parseEventLogs,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { newDevnetSpec } from "../../../cli/devnet/devnet-spec.ts";
import type { ChainSpec } from "../../../genesis/chain-spec.ts";
import { WHOLE } from "../../../genesis/economy.ts";
import { chainSpecJson } from "../../../genesis/write-chain-spec.ts";
import { type MarketActions, marketActions } from "../../../rpc/client/market-actions.ts";
import { isOver, type MarketJob } from "../../../rpc/client/market-answers.ts";
import { type MarketWalletActions, marketWalletActions } from "../../../rpc/client/market-wallet-actions.ts";
import { type OgpuModules, ogpuModules } from "../../../rpc/client/modules.ts";
import { type OgpuActions, ogpuActions } from "../../../rpc/client/ogpu-actions.ts";
import { type OgpuWalletActions, ogpuWalletActions } from "../../../rpc/client/ogpu-wallet-actions.ts";
import { testAccount } from "../../../rpc/development/test-accounts.ts";
import { eventually, ogpuJson, type Running, startDevnet } from "../../cli/support/ogpu-process.ts";
import { ProviderProcess } from "./provider-process.ts";

const EPOCH_BLOCKS = 25;

/** What honest parties have to do has much time, since a busy machine is no offence; phases end when everybody has acted. */
const PATIENT = {
  market: { revealSeconds: 180n, segmentSeconds: 60n, attestSeconds: 20n, maxAttempts: 50n },
  verification: {
    ...{ sealSeconds: 90n, openSeconds: 60n, revealSeconds: 60n, voteSeconds: 90n },
    ...{ countSeconds: 60n, publishSeconds: 60n, refereeSeconds: 90n },
  },
} as const;
/** Stake stays within reach for longer than a round takes. */
const EXIT_SECONDS = 900n;

type ModuleWithLogs = "market" | "verification" | "verifiers";
type EventOf<Module extends ModuleWithLogs> = ContractEventName<OgpuModules[Module]["abi"]>;

/** What is other than in the devnet's own spec. */
export interface NetworkChange {
  readonly market?: Partial<ChainSpec["modules"]["market"]>;
  readonly verification?: Partial<ChainSpec["modules"]["verification"]>;
  readonly verifiers?: ChainSpec["verifiers"];
}

export interface ClosedRound {
  readonly round: bigint;
  readonly accepted: boolean;
  readonly reason: number;
  readonly guilty: number;
}

export interface Punishment {
  readonly account: Hex;
  readonly reason: number;
  readonly fromLock: bigint;
  readonly fromCollateral: bigint;
}

export function addressOf(account: number): Hex {
  return testAccount(account).address;
}

/** What a run on this machine gives: the oracle for bits. */
export async function bitsOf(size: number, steps: number): Promise<readonly string[]> {
  const words = ["compute", "example", "heat-equation", "--size", String(size), "--steps", String(steps)];
  const { outputs } = await ogpuJson<{ outputs: Readonly<Record<string, string>> }>(...words);
  return Object.values(outputs);
}

export class MarketNetwork {
  readonly url: string;
  readonly chain: OgpuActions & MarketActions;
  readonly #root: string;
  readonly #devnet: Running;

  private constructor(root: string, devnet: Running) {
    this.#root = root;
    this.#devnet = devnet;
    this.url = devnet.url;
    const client = createPublicClient({ transport: http(devnet.url), pollingInterval: 100 });
    this.chain = { ...ogpuActions(client), ...marketActions(client) };
  }

  /** One validator, with the devnet's four honest verifiers and as many others as `change` has. */
  static async start({ market, verification, verifiers = [] }: NetworkChange = {}): Promise<MarketNetwork> {
    const root = mkdtempSync(join(tmpdir(), "ogpu-market-"));
    const spec = await newDevnetSpec({ spec: undefined, validators: 1 }, Date.now());
    const { modules } = spec;
    const changed: ChainSpec = {
      ...{ ...spec, verifiers: [...spec.verifiers, ...verifiers] },
      modules: {
        ...modules,
        market: { ...modules.market, ...PATIENT.market, ...market },
        verification: { ...modules.verification, ...PATIENT.verification, ...verification },
        verifiers: { ...modules.verifiers, exitSeconds: EXIT_SECONDS },
      },
      // Whoever registers can be drawn soon.
      consensus: { ...spec.consensus, epochBlocks: EPOCH_BLOCKS },
    };
    const path = join(root, "spec.json");
    writeFileSync(path, JSON.stringify(chainSpecJson(changed)));
    return new MarketNetwork(root, await startDevnet(join(root, "devnet"), "--spec", path));
  }

  async stop(): Promise<void> {
    await ProviderProcess.stopAll();
    await this.#devnet.stop("SIGTERM");
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 10 });
  }

  provider(fault: string, account: number): Promise<ProviderProcess> {
    return ProviderProcess.start(fault, this.url, {
      account,
      folder: join(this.#root, `provider-${account}`),
      tier: 0,
    });
  }

  verifiers(fault: string, ...accounts: readonly number[]): Promise<ProviderProcess> {
    return ProviderProcess.verifiers(fault, this.url, accounts, join(this.#root, `verifiers-${accounts.join("-")}`));
  }

  /** The heat equation on a plate, by the command line, of which nobody waits for the end. */
  async submit(from: number, size: number, steps: number, ...terms: readonly string[]): Promise<bigint> {
    const words = ["job", "submit", "--rpc", this.url, "--from", String(from), "--detach"];
    const work = ["--example", "heat-equation", "--example-size", String(size), "--example-steps", String(steps)];
    return BigInt((await ogpuJson<{ job: string }>(...words, ...work, ...terms)).job);
  }

  async wallet(account: number): Promise<OgpuWalletActions & MarketWalletActions> {
    const { chainId } = await this.chain.getStatus();
    const nativeCurrency = { name: "oGPU", symbol: "oGPU", decimals: 18 };
    const rpcUrls = { default: { http: [this.url] } };
    const chain: Chain = defineChain({ id: chainId, name: "devnet", nativeCurrency, rpcUrls });
    const client = createWalletClient({
      account: privateKeyToAccount(bytesToHex(testAccount(account).privateKey)),
      ...{ chain, transport: http(this.url) },
    });
    return { ...ogpuWalletActions(client), ...marketWalletActions(client) };
  }

  async jobWhen(job: bigint, isIt: (job: MarketJob) => boolean): Promise<MarketJob> {
    return await eventually(async () => {
      const found = await this.chain.getJob({ job });
      return isIt(found) ? found : undefined;
    });
  }

  jobOver(job: bigint): Promise<MarketJob> {
    return this.jobWhen(job, ({ status }) => isOver(status));
  }

  /** In their order, with the number of the block and of the transaction. */
  async events<Module extends ModuleWithLogs, Name extends EventOf<Module>>(
    module: Module,
    eventName: Name,
  ): Promise<ParseEventLogsReturnType<OgpuModules[Module]["abi"], Name, true>> {
    const { address, abi } = ogpuModules[module];
    const client = createPublicClient({ transport: http(this.url) });
    const logs = await client.getLogs({ address, fromBlock: 0n, toBlock: "latest" });
    const found = parseEventLogs({ abi: abi as Abi, eventName: eventName as string, logs });
    return found as unknown as ParseEventLogsReturnType<OgpuModules[Module]["abi"], Name, true>;
  }

  /** The first round of the job, closed for good: everybody has lost and earned what it was about. */
  async closedRound(job: bigint): Promise<ClosedRound> {
    return await eventually(async () => {
      return (await this.events("verification", "Closed")).find(({ args }) => args.job === job)?.args;
    });
  }

  /** Until the job has changed for this reason. */
  async reasonComes(job: bigint, reason: number): Promise<void> {
    await eventually(async () => ((await this.reasons(job)).includes(reason) ? true : undefined));
  }

  /** Who was punished for the job, in their order, with what it cost. */
  async punished(job: bigint): Promise<readonly Punishment[]> {
    const found = (await this.events("market", "Punished")).filter(({ args }) => args.job === job);
    return found.map(({ args: { account, reason, fromLock, fromCollateral } }) => {
      return { account: account.toLowerCase() as Hex, reason, fromLock, fromCollateral };
    });
  }

  /** What the winner of the job's first auction asked for: also what is reserved of it, where it was the only one. */
  async priceOf(job: bigint): Promise<bigint | undefined> {
    return (await this.events("market", "Awarded")).find(({ args }) => args.job === job)?.args.price;
  }

  /** Until somebody was punished for this reason. */
  async punishedFor(job: bigint, reason: number): Promise<readonly Punishment[]> {
    return await eventually(async () => {
      const found = (await this.punished(job)).filter((one) => one.reason === reason);
      return found.length > 0 ? found : undefined;
    });
  }

  /** Who was paid for the proof that the job's worker was wrong, which had to cost it all of these amounts. */
  async catcherOf(job: bigint, ...losses: readonly (bigint | undefined)[]): Promise<string> {
    const [paid, ...others] = (await this.events("market", "CatcherPaid")).filter(({ args }) => args.job === job);
    const share = await this.chain.getParameter({ name: "market.catcherShare" });
    const amount = losses.reduce<bigint>((sum, loss = 0n) => sum + (loss * share) / WHOLE, 0n);
    if (paid?.args.amount !== amount || others.length > 0) throw new Error(`not ${amount} alone was paid for it`);
    return paid.args.catcher.toLowerCase();
  }

  /** Of the job, in their order. */
  async reasons(job: bigint): Promise<readonly number[]> {
    const changes = await this.events("market", "JobChanged");
    return changes.filter(({ args }) => args.job === job).map(({ args }) => args.reason);
  }

  /** Of a verifier, all of it. */
  async stakeOf(account: number): Promise<bigint> {
    const args = [addressOf(account)] as const;
    const found = await this.chain.readModule({ module: "verifiers", functionName: "verifierOf", args });
    return found.stake + found.frozen;
  }

  async collateralOf(account: number): Promise<bigint> {
    const args = [addressOf(account)] as const;
    const { free, reserved } = await this.chain.readModule({ module: "providers", functionName: "providerOf", args });
    return free + reserved;
  }

  /** Of the trust lock: all of it, and what is set aside for jobs. */
  async lockOf(account: number): Promise<{ readonly locked: bigint; readonly allocated: bigint }> {
    const args = [addressOf(account)] as const;
    const [locked, , allocated] = await this.chain.readModule({
      ...{ module: "trustLock", functionName: "accountOf", args },
    });
    return { locked, allocated };
  }
}

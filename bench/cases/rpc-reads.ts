/**
 * Reads as clients see them, beside anvil under the same load generator: balances one by one and in batches, calls of an
 * ERC-20, the block number over WebSocket. Both run at the same time and are asked in turn; both share the machine with
 * the load generator.
 *
 * Calls are measured beside the bare EVM too, @ethereumjs/evm, in this process, on one core: so many threads of the node
 * run calls on a machine with two. With more, it is taken times the threads. What our own engine does in process is told
 * as well: the rest of a call is JSON, HTTP and the way from thread to thread.
 */
import { availableParallelism } from "node:os";
import { encodeFunctionData, parseAbi } from "viem";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { testAccount } from "../../rpc/development/test-accounts.ts";
import type { BenchCase, BenchResult, Comparison } from "../case.ts";
import { type Contestant, type Interleaved, interleave } from "../interleave.ts";
import { startAnvil } from "../network/anvil.ts";
import { prepareRequest, rpc } from "../network/http-client.ts";
import { startDevnet } from "../network/our-network.ts";
import { HTTP, type Load, type Protocol, prepareFrame, runPipelined, WEB_SOCKET } from "../network/pipelined-load.ts";
import { BareContract } from "../rpc/bare-contract.ts";
import { deploy, tokenCode } from "../rpc/contract.ts";
import { OwnContract } from "../rpc/own-contract.ts";
import { withScratchFolder } from "../scratch.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly requests: number;
  readonly batches: number;
  readonly batch: number;
  readonly calls: number;
  readonly connections: number;
  readonly depth: number;
}

const CHAIN_ID = 0x6f677064n;
const ABI = parseAbi(["function balanceOf(address account) view returns (uint256)"]);
const ACCOUNTS: readonly Hex[] = Array.from({ length: 20 }, (_, index) => testAccount(index).address);
const HOLDER = ACCOUNTS[0] as Hex;

export const benchCase: BenchCase<Params> = {
  name: "rpc-reads",
  description: "balances, calls and block numbers over JSON-RPC, beside anvil",
  sizes: {
    smoke: { rounds: 1, requests: 400, batches: 4, batch: 100, calls: 100, connections: 4, depth: 4 },
    full: { rounds: 5, requests: 40_000, batches: 4_000, batch: 100, calls: 20_000, connections: 16, depth: 4 },
  },
  run: (params) => withScratchFolder((folder) => measure(params, folder)),
};

/** One kind of read: what is sent to a chain, and how many answers each of it stands for. */
interface Work {
  readonly name: string;
  readonly unit: string;
  /** Also done by the bare EVM. */
  readonly isCall?: boolean;
  readonly protocol: Protocol;
  readonly answers: number;
  readonly load: Load;
  /** Of our rate over anvil's, where there is one. */
  readonly target?: { readonly atLeast: number };
  requests(url: URL, token: Hex): readonly Buffer[];
}

function question(id: number, method: string, ...params: readonly unknown[]): object {
  return { jsonrpc: "2.0", id, method, params };
}

function balanceOf(account: Hex): Hex {
  return encodeFunctionData({ abi: ABI, functionName: "balanceOf", args: [account] });
}

function worksOf(params: Params): readonly Work[] {
  const { connections, depth, requests, batches, batch, calls } = params;
  const balance = (account: Hex, id: number): object => question(id, "eth_getBalance", account, "latest");
  const single = { protocol: HTTP, answers: 1, load: { connections, depth, total: requests } };
  return [
    {
      ...{ ...single, name: "eth_getBalance", unit: "requests/s", target: { atLeast: 0.4 } },
      requests: (url) => ACCOUNTS.map((account, id) => prepareRequest(url, JSON.stringify(balance(account, id)))),
    },
    {
      ...{ ...single, name: `eth_getBalance in batches of ${batch}`, unit: "balances/s", target: { atLeast: 1 } },
      ...{ answers: batch, load: { connections, depth: 1, total: batches } },
      requests: (url) => {
        const all = Array.from({ length: batch }, (_, id) => balance(ACCOUNTS[id % ACCOUNTS.length] as Hex, id));
        return [prepareRequest(url, JSON.stringify(all))];
      },
    },
    {
      ...{ ...single, name: "eth_call of balanceOf", unit: "calls/s" },
      ...{ isCall: true, load: { connections, depth, total: calls } },
      requests: (url, to) =>
        ACCOUNTS.map((account, id) =>
          prepareRequest(url, JSON.stringify(question(id, "eth_call", { to, data: balanceOf(account) }, "latest"))),
        ),
    },
    {
      ...{ ...single, name: "eth_blockNumber over WebSocket", unit: "requests/s" },
      protocol: WEB_SOCKET,
      requests: () => [prepareFrame(JSON.stringify(question(1, "eth_blockNumber")))],
    },
  ];
}

const ANVIL = "anvil";
const OURS = "one validator";
const BARE = "bare EVM in process";
const ENGINE = "our engine in process";

async function measure(params: Params, folder: string): Promise<BenchResult> {
  const [anvil, node] = await Promise.all([startAnvil(CHAIN_ID), startDevnet(folder, 1, "validators alone")]);
  try {
    const code = await tokenCode(HOLDER);
    const chains = [
      { name: ANVIL, url: anvil.url, token: await deploy(anvil.url, HOLDER, code) },
      { name: OURS, url: node.url, token: await deploy(node.url, HOLDER, code) },
    ];
    const bare = await BareContract.create(code);
    const own = new OwnContract(code);
    const data = ACCOUNTS.map((account) => hexToBytes(balanceOf(account)));
    const measured: Measured[] = [];
    for (const work of worksOf(params)) {
      const contestants = chains.map(({ name, url, token }) => contestant(work, name, url, token));
      const inProcess = [
        { name: BARE, run: () => bare.call(data, work.load.total) },
        { name: ENGINE, run: () => own.call(data, work.load.total) },
      ];
      const rates = await interleave(params.rounds, work.isCall ? [...contestants, ...inProcess] : contestants);
      measured.push({ work, rates });
    }
    const [theirs, ours] = await Promise.all(chains.map(({ url, token }) => balancesAt(url, token)));
    const last = [bare, own].map(({ output }) => bytesToHex(output));
    return resultOf(measured, theirs === ours && last.every((output) => ours?.endsWith(output)));
  } finally {
    await Promise.all([anvil.stop(), node.stop()]);
  }
}

function contestant(work: Work, name: string, url: URL, token: Hex): Contestant {
  const requests = work.requests(url, token);
  return {
    name,
    run: async () => {
      await runPipelined(url, work.protocol, requests, work.load);
      return work.load.total * work.answers;
    },
  };
}

interface Measured {
  readonly work: Work;
  readonly rates: Interleaved;
}

function resultOf(measured: readonly Measured[], agreed: boolean): BenchResult {
  const threads = Math.max(1, availableParallelism() - 1);
  const namesOf = ({ isCall }: Work): readonly string[] => [ANVIL, OURS, ...(isCall ? [BARE, ENGINE] : [])];
  return {
    measurements: measured.flatMap(({ work, rates }) =>
      namesOf(work).map((who) => ({ name: `${who}, ${work.name}`, value: rates.rate(who), unit: work.unit })),
    ),
    comparisons: measured.flatMap(({ work, rates }): Comparison[] => {
      const { name, target, isCall } = work;
      if (target !== undefined) return [{ name: `${name} / anvil`, ratio: rates.ratio(OURS, ANVIL), target }];
      if (!isCall) return [];
      const ratio = rates.ratio(OURS, BARE) / threads;
      return [{ name: `${name} / bare EVM x ${threads}`, ratio, target: { atLeast: 0.8 } }];
    }),
    agreed,
  };
}

/** The tokens of all accounts, as both chains must have them. */
async function balancesAt(url: URL, token: Hex): Promise<string> {
  const balances: string[] = [];
  for (const account of ACCOUNTS) {
    balances.push(await rpc<string>(url, "eth_call", { to: token, data: balanceOf(account) }, "latest"));
  }
  return balances.join();
}

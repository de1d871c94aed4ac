/**
 * eth_getLogs over ten thousand blocks, each with a transfer of one token: the transfers to one account (a twentieth of
 * them), and those of a token that is not there. Beside anvil with as many blocks, which has
 * the transfers to that account alone.
 */
import { cp } from "node:fs/promises";
import { keccak256, pad, toHex } from "viem";
import type { Hex } from "../../base/bytes.ts";
import { testAccount } from "../../rpc/development/test-accounts.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { interleave } from "../interleave.ts";
import { startAnvil } from "../network/anvil.ts";
import { prepareRequest, rpc } from "../network/http-client.ts";
import { HTTP, runPipelined } from "../network/pipelined-load.ts";
import { startValidator, validatorSpec } from "../network/validator.ts";
import { deploy, tokenCode } from "../rpc/contract.ts";
import { makeLongChain, RARE, transferData } from "../rpc/long-chain.ts";
import { withMemoryFolder, withScratchFolder } from "../scratch.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly blocks: number;
  readonly requests: number;
}

const TRANSFER = keccak256(toHex("Transfer(address,address,uint256)"));
/** More than the epochs whose ends are blocks of their own with us. */
const EMPTY = 100;
const HOLDER: Hex = testAccount(0).address;

export const benchCase: BenchCase<Params> = {
  name: "rpc-logs",
  description: "eth_getLogs over many blocks, beside anvil",
  sizes: {
    smoke: { rounds: 1, blocks: 40, requests: 4 },
    full: { rounds: 3, blocks: 10_000, requests: 200 },
  },
  run: (params) => withScratchFolder((folder) => measure(params, folder)),
};

interface Chain {
  readonly name: string;
  readonly url: URL;
  readonly token: Hex;
  /** The block with the last transfer. */
  readonly last: number;
}

async function measure(params: Params, folder: string): Promise<BenchResult> {
  const code = await tokenCode(HOLDER);
  const spec = validatorSpec(200);
  // Far enough back that the last block is not ahead of the clock.
  const old = { ...spec, genesisTime: spec.genesisTime - BigInt(params.blocks) };
  // Every block is synced several times: on a disk that takes three times as long as all else (measured).
  const { token, transfers } = await withMemoryFolder(async (quick) => {
    const made = await makeLongChain(quick, old, code, params.blocks);
    await cp(quick, folder, { recursive: true });
    return made;
  });
  const anvil = await startAnvil(old.chainId);
  const node = await startValidator(folder, { spec: old, isNew: false });
  try {
    const chains: readonly Chain[] = [
      { name: "anvil", url: anvil.url, ...(await fillAnvil(anvil.url, code, transfers)) },
      { name: "one validator", url: node.url, token, last: params.blocks },
    ];
    return await compare(params, chains);
  } finally {
    await Promise.all([anvil.stop(), node.stop()]);
  }
}

async function compare({ rounds, blocks, requests }: Params, chains: readonly Chain[]): Promise<BenchResult> {
  const range = ({ last }: Chain): object => ({ fromBlock: toHex(last - blocks + 1), toBlock: toHex(last) });
  const some = (chain: Chain): object => ({
    ...range(chain),
    address: chain.token,
    topics: [TRANSFER, null, pad(testAccount(1).address)],
  });
  const none = (chain: Chain): object => ({ ...range(chain), address: `0x${"ab".repeat(20)}` });
  const contestants = (filterOf: (chain: Chain) => object) =>
    chains.map((chain) => {
      const { name, url } = chain;
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [filterOf(chain)] });
      const request = prepareRequest(url, body);
      return {
        name,
        run: async () => {
          await runPipelined(url, HTTP, [request], { connections: 2, depth: 1, total: requests });
          return requests;
        },
      };
    });
  const found = await interleave(rounds, contestants(some));
  const empty = await interleave(rounds, contestants(none));
  const [theirs = [], ours = []] = await Promise.all(
    chains.map((chain) => rpc<readonly FoundLog[]>(chain.url, "eth_getLogs", some(chain))),
  );
  return {
    measurements: chains.flatMap(({ name }) => [
      { name: `${name}, ${ours.length} logs of ${blocks} blocks`, value: found.rate(name), unit: "queries/s" },
      { name: `${name}, no logs of ${blocks} blocks`, value: empty.rate(name), unit: "queries/s" },
    ]),
    comparisons: [
      { name: "some logs / anvil", ratio: found.ratio("one validator", "anvil"), target: { atLeast: 1 } },
      { name: "no logs / anvil", ratio: empty.ratio("one validator", "anvil"), target: { atLeast: 1 } },
    ],
    agreed: ours.length > 0 && contentsOf(ours) === contentsOf(theirs),
  };
}

interface FoundLog {
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** Who sent how much to whom, in order. Blocks and addresses are each chain's own. */
function contentsOf(logs: readonly FoundLog[]): string {
  return JSON.stringify(logs.map(({ topics, data }) => [topics, data]));
}

/** The transfers that are asked for, after some empty blocks, so that the range begins above genesis; the clock of its own blocks is stopped first. */
async function fillAnvil(
  url: URL,
  code: Uint8Array,
  transfers: number,
): Promise<{ readonly token: Hex; readonly last: number }> {
  const token = await deploy(url, HOLDER, code);
  await rpc(url, "evm_setIntervalMining", 0);
  await rpc(url, "anvil_mine", toHex(EMPTY));
  // A transaction for each block takes it minutes: it gets those that are asked for, with empty blocks between them.
  for (let index = RARE; index <= transfers; index += RARE) {
    await rpc(url, "anvil_mine", toHex(RARE - 1));
    await rpc(url, "eth_sendTransaction", { from: HOLDER, to: token, data: transferData(index), gas: "0x30d40" });
    await rpc(url, "evm_mine");
  }
  return { token, last: Number(await rpc<Hex>(url, "eth_blockNumber")) };
}

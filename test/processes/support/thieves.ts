/** Providers that commit to what another has committed to, in the two ways in which one could try. */
import { type Abi, decodeFunctionData, encodeEventTopics } from "viem";
import type { Hex } from "../../../base/bytes.ts";
import { moduleErrorOf, sendUse } from "../../../cli/agent/module-sender.ts";
import { NodeChain } from "../../../cli/agent/node-chain.ts";
import { callRpc } from "../../../cli/json-rpc-client.ts";
import type { ChainAction, ChainPort, Commitment, SendOutcome } from "../../../compute/agent/ports.ts";
import { ogpuModules } from "../../../rpc/client/modules.ts";
import { eventually } from "../../cli/support/ogpu-process.ts";

type Sealing = Extract<ChainAction, { kind: "commitSealed" }>;
type Revealing = Extract<ChainAction, { kind: "reveal" }>;

interface Thief {
  commitSealed(chain: NodeChain, action: Sealing): Promise<SendOutcome>;
  reveal(chain: NodeChain, action: Revealing): Promise<SendOutcome>;
}

/** What another racer sent to the market for this job, as soon as the chain has the event that came of it. */
async function othersCall(chain: NodeChain, job: bigint, event: "Sealed" | "Committed"): Promise<readonly unknown[]> {
  const { abi, address } = ogpuModules.market;
  const topics = encodeEventTopics({ abi: abi as Abi, eventName: event, args: { job } });
  return await eventually(async () => {
    const filter = { address, topics, fromBlock: "0x0", toBlock: "latest" };
    const logs = await callRpc<{ transactionHash: Hex; topics: readonly Hex[] }[]>(chain.link.url, "eth_getLogs", [
      filter,
    ]);
    const log = logs.find(({ topics: found }) => !found[2]?.endsWith(chain.account.slice(2)));
    if (log === undefined) return undefined;
    const sent = await callRpc<{ input: Hex }>(chain.link.url, "eth_getTransactionByHash", [log.transactionHash]);
    return decodeFunctionData({ abi: abi as Abi, data: sent.input }).args ?? [];
  });
}

async function use(chain: NodeChain, name: string, args: readonly unknown[]): Promise<SendOutcome> {
  const outcome = await sendUse(chain.transactions, { module: "market", name, args });
  if (outcome.kind === "done") return { kind: "done", block: BigInt(outcome.receipt.blockNumber) };
  return { kind: "refused", error: moduleErrorOf(outcome, "market")?.name ?? outcome.message };
}

/** Of a segment that did not trap: the launch and the tile of a trap, which the call has anyway, mean nothing then. */
async function othersCommitment(chain: NodeChain, job: bigint): Promise<Commitment> {
  const [, stolen] = await othersCall(chain, job, "Committed");
  const { segmentRoot, checkpointRoot, outputs } = stolen as Commitment;
  return { segmentRoot, checkpointRoot, outputs };
}

/** Sends another's seal as its own, and later what that one revealed. */
const sealThief: Thief = {
  commitSealed: async (chain, { job }) => use(chain, "commitSealed", await othersCall(chain, job, "Sealed")),
  reveal: async (chain, { job }) => use(chain, "reveal", await othersCall(chain, job, "Committed")),
};

/** Waits until another has revealed, then seals and reveals the same commitment as its own. */
const commitmentThief: Thief = {
  commitSealed: async (chain, action) =>
    await chain.send({ ...action, commitment: await othersCommitment(chain, action.job) }),
  reveal: async (chain, action) =>
    await chain.send({ ...action, commitment: await othersCommitment(chain, action.job) }),
};

function robbing(thief: Thief): (chain: ChainPort) => ChainPort {
  return (chain) => {
    if (!(chain instanceof NodeChain)) throw new Error("thieves work on a real chain");
    return new Proxy(chain, {
      get: (target, name) => {
        if (name === "send") {
          return (action: ChainAction): Promise<SendOutcome> => {
            if (action.kind === "commitSealed") return thief.commitSealed(target, action);
            if (action.kind === "reveal") return thief.reveal(target, action);
            return target.send(action);
          };
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };
}

export const stealsSeals: (chain: ChainPort) => ChainPort = robbing(sealThief);
export const stealsCommitments: (chain: ChainPort) => ChainPort = robbing(commitmentThief);

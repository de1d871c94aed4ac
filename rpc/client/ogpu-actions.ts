/**
 * The public actions of a viem client for OpenGPU:
 *
 *     const client = createPublicClient({ transport: webSocket(url) }).extend(ogpuActions);
 *     await client.getValidator({ operator });
 *     await client.readModule({ module: "governance", functionName: "proposals", args: [0n, 10n] });
 */
import type { Abi, Client, ContractFunctionArgs, ContractFunctionName, ContractFunctionReturnType, Hex } from "viem";
import { readContract } from "viem/actions";
import type {
  Anomaly,
  EpochValidators,
  Evidence,
  Finality,
  LightClientProof,
  NodeStatus,
  Peer,
  RecentBlock,
  Supply,
} from "./answers.ts";
import { type ModuleName, type OgpuModules, ogpuModules } from "./modules.ts";
import {
  type FinalityJson,
  type LightClientProofJson,
  type RecentBlockJson,
  readFinality,
  readLightClientProof,
  readPeer,
  readRecentBlock,
  readStatus,
  readSupply,
  readWeights,
  type StatusJson,
} from "./read-answers.ts";

type ViewOf<Name extends ModuleName> = ContractFunctionName<OgpuModules[Name]["abi"], "pure" | "view">;

export interface ReadModuleParameters<
  Name extends ModuleName,
  View extends ViewOf<Name>,
  Args extends ContractFunctionArgs<OgpuModules[Name]["abi"], "pure" | "view", View>,
> {
  readonly module: Name;
  readonly functionName: View;
  readonly args?: Args;
  readonly blockNumber?: bigint;
}

type Answer<Name extends ModuleName, View extends ViewOf<Name>> = ContractFunctionReturnType<
  OgpuModules[Name]["abi"],
  "pure" | "view",
  View
>;

interface AtBlock {
  readonly blockNumber?: bigint;
}

interface OfPosition {
  readonly operator: Hex;
  readonly delegator: Hex;
}

/** A type and not an interface: viem extends clients by what has any further names. */
export type OgpuActions = {
  getStatus(): Promise<NodeStatus>;
  /** What made the block final; of the head where none is named. */
  getFinality(at?: AtBlock): Promise<Finality>;
  getLightClientProof(of?: AtBlock & { readonly fromEpoch?: number }): Promise<LightClientProof>;
  /** Who votes in an epoch, with their weights; in the current one where none is named. */
  getEpochValidators(of?: { readonly epoch?: number }): Promise<EpochValidators>;
  getSupply(at?: AtBlock): Promise<Supply>;
  getPeers(): Promise<readonly Peer[]>;
  /** Offences that the node has seen, for `submitEvidence`. */
  getEvidence(): Promise<readonly Evidence[]>;
  /** The last blocks at a glance, the oldest first. */
  getRecentBlocks(of?: { readonly count?: number }): Promise<readonly RecentBlock[]>;
  /** What the node has found unusual, the newest first. */
  getAnomalies(of?: { readonly limit?: number }): Promise<readonly Anomaly[]>;
  /** Any view of any module, typed by its ABI. */
  readModule<
    Name extends ModuleName,
    View extends ViewOf<Name>,
    Args extends ContractFunctionArgs<OgpuModules[Name]["abi"], "pure" | "view", View>,
  >(parameters: ReadModuleParameters<Name, View, Args>): Promise<Answer<Name, View>>;
  getValidator(of: { readonly operator: Hex }): Promise<Answer<"staking", "validator">>;
  getDelegation(of: OfPosition): Promise<Answer<"staking", "delegation">>;
  getUnbondings(of: OfPosition): Promise<Answer<"staking", "unbondings">>;
  getProposal(of: { readonly id: bigint }): Promise<Answer<"governance", "proposal">>;
  getTally(of: { readonly id: bigint }): Promise<Answer<"governance", "tally">>;
  /** By name, as governance has set it: `staking.unbondingSeconds`. */
  getParameter(of: { readonly name: string }): Promise<bigint>;
};

const LATEST = "latest";

function block({ blockNumber }: AtBlock): string {
  return blockNumber === undefined ? LATEST : `0x${blockNumber.toString(16)}`;
}

export function ogpuActions(client: Client): OgpuActions {
  const ask = async <Result>(method: string, ...params: readonly unknown[]): Promise<Result> =>
    (await client.request({ method, params } as never)) as Result;
  const read = <Name extends ModuleName, View extends ViewOf<Name>>(
    module: Name,
    functionName: View,
    args: readonly unknown[],
    at: AtBlock = {},
  ): Promise<Answer<Name, View>> => {
    const { address, abi } = ogpuModules[module];
    return readContract(client, { address, abi: abi as Abi, functionName, args, ...at } as never) as never;
  };
  return {
    getStatus: async () => readStatus(await ask<StatusJson>("ogpu_status")),
    getFinality: async (at = {}) => readFinality(await ask<FinalityJson>("ogpu_getFinality", block(at))),
    getLightClientProof: async ({ fromEpoch = 0, ...at } = {}) =>
      readLightClientProof(await ask<LightClientProofJson>("ogpu_getLightClientProof", block(at), fromEpoch)),
    getEpochValidators: async ({ epoch: wanted } = {}) => {
      const { epoch, totalWeight, validators } = await ask<{
        epoch: number;
        totalWeight: string;
        validators: Parameters<typeof readWeights>[0];
      }>("ogpu_getValidators", ...(wanted === undefined ? [] : [wanted]));
      return { epoch, totalWeight: BigInt(totalWeight), validators: readWeights(validators) };
    },
    getSupply: async (at = {}) => readSupply(await ask("ogpu_getSupply", block(at))),
    getPeers: async () => (await ask<Parameters<typeof readPeer>[0][]>("ogpu_getPeers")).map(readPeer),
    getEvidence: () => ask("ogpu_getEvidence"),
    getRecentBlocks: async ({ count } = {}) =>
      (await ask<RecentBlockJson[]>("ogpu_getRecentBlocks", ...(count === undefined ? [] : [count]))).map(
        readRecentBlock,
      ),
    getAnomalies: ({ limit } = {}) => ask("ogpu_getAnomalies", ...(limit === undefined ? [] : [limit])),
    readModule: ({ module, functionName, args = [] as never, ...at }) => read(module, functionName, args as never, at),
    getValidator: ({ operator }) => read("staking", "validator", [operator]),
    getDelegation: ({ delegator, operator }) => read("staking", "delegation", [delegator, operator]),
    getUnbondings: ({ delegator, operator }) => read("staking", "unbondings", [delegator, operator]),
    getProposal: ({ id }) => read("governance", "proposal", [id]),
    getTally: ({ id }) => read("governance", "tally", [id]),
    getParameter: ({ name }) => read("governance", "parameter", [name]),
  };
}

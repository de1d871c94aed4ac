/**
 * The wallet actions of a viem client for OpenGPU: transactions to the native modules, named as people think of them.
 *
 *     const wallet = createWalletClient({ account, chain, transport: http(url) }).extend(ogpuWalletActions);
 *     await wallet.delegate({ operator, amount: parseEther("10") });
 */
import type {
  Abi,
  Account,
  Chain,
  Client,
  ContractFunctionArgs,
  ContractFunctionName,
  Hash,
  Hex,
  Transport,
} from "viem";
import { writeContract } from "viem/actions";
import { type ModuleName, type OgpuModules, ogpuModules } from "./modules.ts";

type Changing = "nonpayable" | "payable";
type FunctionOf<Name extends ModuleName> = ContractFunctionName<OgpuModules[Name]["abi"], Changing>;

export interface WriteModuleParameters<
  Name extends ModuleName,
  Function extends FunctionOf<Name>,
  Args extends ContractFunctionArgs<OgpuModules[Name]["abi"], Changing, Function>,
> {
  readonly module: Name;
  readonly functionName: Function;
  readonly args?: Args;
  /** Wei that go with the call. */
  readonly value?: bigint;
}

export interface Registration {
  /** BLS, and the proof that its private half is there (`ogpu keys proof`). */
  readonly publicKey: Hex;
  readonly proof: Hex;
  /** Millionths. */
  readonly commission: bigint;
  readonly maxCommission: bigint;
  readonly maxCommissionChange: bigint;
  readonly payout: Hex;
  readonly metadata: string;
  readonly selfStake: bigint;
}

/** The choices of a vote, in the order of the contract's. */
export const VOTE_CHOICES = ["none", "yes", "no", "abstain", "veto"] as const;
export type VoteChoice = Exclude<(typeof VOTE_CHOICES)[number], "none">;

/** A type and not an interface: viem extends clients by what has any further names. */
export type OgpuWalletActions = {
  /** Any function of any module, typed by its ABI. */
  writeModule<
    Name extends ModuleName,
    Function extends FunctionOf<Name>,
    Args extends ContractFunctionArgs<OgpuModules[Name]["abi"], Changing, Function>,
  >(parameters: WriteModuleParameters<Name, Function, Args>): Promise<Hash>;
  registerValidator(registration: Registration): Promise<Hash>;
  delegate(order: { readonly operator: Hex; readonly amount: bigint }): Promise<Hash>;
  redelegate(order: { readonly from: Hex; readonly to: Hex; readonly amount: bigint }): Promise<Hash>;
  unbond(order: { readonly operator: Hex; readonly amount: bigint }): Promise<Hash>;
  /** What has unbonded and is due. */
  withdrawStake(of: { readonly operator: Hex }): Promise<Hash>;
  claimRewards(of: { readonly operator: Hex }): Promise<Hash>;
  submitEvidence(evidence: { readonly publicKey: Hex; readonly first: Hex; readonly second: Hex }): Promise<Hash>;
  /** As a validator with all its stake, or as a delegator of `validator` with one's own. */
  vote(vote: { readonly id: bigint; readonly choice: VoteChoice; readonly validator?: Hex }): Promise<Hash>;
  lock(order: { readonly amount: bigint }): Promise<Hash>;
};

export function ogpuWalletActions(
  client: Client<Transport, Chain | undefined, Account | undefined>,
): OgpuWalletActions {
  const write = (module: ModuleName, functionName: string, args: readonly unknown[], value = 0n): Promise<Hash> => {
    const { address, abi } = ogpuModules[module];
    const { account, chain } = client;
    return writeContract(client, { address, abi: abi as Abi, functionName, args, value, account, chain } as never);
  };
  return {
    writeModule: ({ module, functionName, args = [] as never, value }) =>
      write(module, functionName, args as readonly unknown[], value),
    registerValidator: ({ publicKey, proof, commission, maxCommission, maxCommissionChange, ...rest }) => {
      const terms = [commission, maxCommission, maxCommissionChange];
      return write("staking", "register", [publicKey, proof, ...terms, rest.payout, rest.metadata], rest.selfStake);
    },
    delegate: ({ operator, amount }) => write("staking", "delegate", [operator], amount),
    redelegate: ({ from, to, amount }) => write("staking", "redelegate", [from, to, amount]),
    unbond: ({ operator, amount }) => write("staking", "unbond", [operator, amount]),
    withdrawStake: ({ operator }) => write("staking", "withdraw", [operator]),
    claimRewards: ({ operator }) => write("staking", "claimRewards", [operator]),
    submitEvidence: ({ publicKey, first, second }) => write("slashing", "submitEvidence", [publicKey, first, second]),
    vote: ({ id, choice, validator }) => {
      const number = VOTE_CHOICES.indexOf(choice);
      if (validator === undefined) return write("governance", "vote", [id, number]);
      return write("governance", "voteAsDelegator", [id, validator, number]);
    },
    lock: ({ amount }) => write("trustLock", "lock", [], amount),
  };
}

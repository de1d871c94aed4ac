/**
 * The wallet actions of a viem client for the compute market. Amounts that are not named are what the chain asks for now.
 *
 *     const wallet = createWalletClient({ account, chain, transport: http(url) }).extend(marketWalletActions);
 *     const program = await wallet.publishProgram({ encoding });
 *     const job = await wallet.submitTask({ source, inputs });
 */
import {
  type Account,
  type Chain,
  type Client,
  type Hash,
  type Hex,
  keccak256,
  parseEventLogs,
  type TransactionReceipt,
  type Transport,
} from "viem";
import { waitForTransactionReceipt } from "viem/actions";
import { bytesToHex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { contentAddress } from "../../compute/program/merkle.ts";
import { ogpuModules } from "./modules.ts";
import { ogpuActions } from "./ogpu-actions.ts";
import { ogpuWalletActions } from "./ogpu-wallet-actions.ts";

export interface SourceTerms {
  readonly program: Hex;
  /** Of hardware, 0 to 15. */
  readonly tier?: number;
  /** Providers that race for one task, at most. */
  readonly racers?: number;
  /** Verifiers that check each task. */
  readonly seats?: number;
  /** 0 puts to the vote what the seats doubt, 1 all that they check. */
  readonly assurance?: 0 | 1;
  readonly collateral?: bigint;
  /** 0 for no cap. */
  readonly maxPrice?: bigint;
  readonly taskSeconds?: bigint;
}

/** Told by contract when the job is over. */
export interface JobCallback {
  readonly target: Hex;
  readonly gas: bigint;
  readonly tip: bigint;
}

export interface JobTerms {
  readonly program: Hex;
  readonly inputs: readonly Hex[];
  readonly budget: bigint;
  readonly segments?: number;
  readonly tier?: number;
  readonly seats?: number;
  readonly assurance?: 0 | 1;
  readonly bidSeconds: bigint;
  readonly jobSeconds: bigint;
  /** 16 bytes; zero for anywhere. */
  readonly region?: Hex;
  readonly callback?: JobCallback;
}

export type MarketWalletActions = {
  /** Puts a program on the chain, in pieces if it is large; nothing happens if it is there. Gives its address. */
  publishProgram(of: { readonly encoding: Uint8Array }): Promise<Hex>;
  createSource(terms: SourceTerms): Promise<bigint>;
  closeSource(of: { readonly source: bigint }): Promise<Hash>;
  /** Gives the job's number once its block is final. */
  submitTask(order: {
    readonly source: bigint;
    readonly inputs: readonly Hex[];
    readonly callback?: JobCallback;
  }): Promise<bigint>;
  postJob(terms: JobTerms): Promise<bigint>;
  raiseBudget(order: { readonly job: bigint; readonly amount: bigint }): Promise<Hash>;
  capBudget(order: { readonly job: bigint; readonly budget: bigint }): Promise<Hash>;
  cancelJob(of: { readonly job: bigint }): Promise<Hash>;
  /** The client says that it holds the state after an accepted segment: the next one begins without waiting for more. */
  attestCheckpoint(of: { readonly job: bigint; readonly segment: number }): Promise<Hash>;
};

/** Bytes of a program that go into one transaction, which has 128 KiB at most. */
const PIECE_BYTES = 24_000;
const NO_CALLBACK: JobCallback = { target: "0x0000000000000000000000000000000000000000", gas: 0n, tip: 0n };
const ANYWHERE: Hex = "0x00000000000000000000000000000000";

export function marketWalletActions(
  client: Client<Transport, Chain | undefined, Account | undefined>,
): MarketWalletActions {
  const { readModule } = ogpuActions(client);
  const { writeModule } = ogpuWalletActions(client);
  const market = ogpuModules.market.abi;
  const done = async (sent: Promise<Hash>): Promise<TransactionReceipt> => {
    const receipt = await waitForTransactionReceipt(client, { hash: await sent, pollingInterval: 100 });
    if (receipt.status === "success") return receipt;
    throw new CodedError("TX_REVERTED", `transaction ${receipt.transactionHash} was reverted`);
  };
  const jobOf = ({ logs }: TransactionReceipt): bigint => {
    const [changed] = parseEventLogs({ abi: market, eventName: "JobChanged", logs });
    if (changed === undefined) throw new CodedError("JOB_UNKNOWN", "the transaction made no job");
    return changed.args.job;
  };
  return {
    publishProgram: async ({ encoding }) => {
      const module = "programs";
      const program = bytesToHex(contentAddress(encoding));
      if (await readModule({ module, functionName: "isPublished", args: [program] })) return program;
      if (encoding.length <= PIECE_BYTES) {
        await done(writeModule({ module, functionName: "publish", args: [bytesToHex(encoding)] }));
        return program;
      }
      const pieces: Hex[] = [];
      for (let at = 0; at < encoding.length; at += PIECE_BYTES) {
        const data = bytesToHex(encoding.subarray(at, at + PIECE_BYTES));
        const piece = keccak256(data);
        pieces.push(piece);
        const isStored = await readModule({ module, functionName: "isStored", args: [piece] });
        if (!isStored) await done(writeModule({ module, functionName: "storePiece", args: [data] }));
      }
      await done(writeModule({ module, functionName: "publishPieces", args: [pieces] }));
      return program;
    },
    createSource: async (terms) => {
      const { program, tier = 0, racers = 2, seats = 3, assurance = 0 } = terms;
      const { collateral = 0n, maxPrice = 0n, taskSeconds = 60n } = terms;
      const args = [program, tier, racers, collateral, seats, assurance, maxPrice, taskSeconds] as const;
      const { logs } = await done(writeModule({ module: "market", functionName: "createSource", args }));
      const [made] = parseEventLogs({ abi: market, eventName: "SourceChanged", logs });
      if (made === undefined) throw new CodedError("SOURCE_UNKNOWN", "the transaction made no source");
      return made.args.source;
    },
    closeSource: ({ source }) => writeModule({ module: "market", functionName: "closeSource", args: [source] }),
    submitTask: async ({ source, inputs, callback = NO_CALLBACK }) => {
      const module = "market";
      const [, , total, lock] = await readModule({ module, functionName: "quoteTask", args: [source] });
      // What is not needed comes back: prices may rise by an eighth until the block.
      const value = (total * 9n) / 8n + lock + callback.tip;
      const args = [source, inputs, callback] as const;
      return jobOf(await done(writeModule({ module, functionName: "submitTask", args, value })));
    },
    postJob: async ({ inputs, callback = NO_CALLBACK, ...rest }) => {
      const module = "market";
      const terms = { segments: 1, tier: 0, seats: 3, assurance: 0, region: ANYWHERE, ...rest };
      const [, , total, lock] = await readModule({ module, functionName: "quoteJob", args: [terms] });
      const value = total + lock + callback.tip;
      return jobOf(
        await done(writeModule({ module, functionName: "postJob", args: [terms, inputs, callback], value })),
      );
    },
    raiseBudget: ({ job, amount }) =>
      writeModule({ module: "market", functionName: "raiseBudget", args: [job], value: amount }),
    capBudget: ({ job, budget }) => writeModule({ module: "market", functionName: "capBudget", args: [job, budget] }),
    cancelJob: ({ job }) => writeModule({ module: "market", functionName: "cancel", args: [job] }),
    attestCheckpoint: ({ job, segment }) =>
      writeModule({ module: "market", functionName: "attestCheckpoint", args: [job, segment] }),
  };
}

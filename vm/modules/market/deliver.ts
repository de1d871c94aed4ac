/** Tells a contract what became of its job: by anybody's transaction, which pays the gas and gets the tip. */
import { encodeFunctionData } from "viem/utils";
import { hexToBytes } from "../../../base/bytes.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { hasCallback, readCallback } from "./callback.ts";
import { payHeld } from "./escrow.ts";
import { jobWords, requireJob, writeState, wrongStatus } from "./job-record.ts";
import { isLive } from "./numbers.ts";
import { resultOf } from "./results.ts";

const ON_JOB_RESULT = [
  {
    type: "function",
    name: "onJobResult",
    stateMutability: "nonpayable",
    inputs: [
      { type: "uint256", name: "job" },
      { type: "bool", name: "accepted" },
      { type: "bytes32[]", name: "outputs" },
    ],
    outputs: [],
  },
] as const;

/** Whatever the target does, the job was delivered: it is settled already, and nothing here can undo that. */
export function deliver(call: ModuleCall, job: bigint): void {
  const { caller } = call.message;
  const state = requireJob(call, job);
  if (isLive(Number(state.status))) throw wrongStatus(job, state);
  if (!hasCallback(call, job)) throw revertWith(marketAbi, "NoCallback", [job]);
  if (state.delivered > 0n) throw revertWith(marketAbi, "AlreadyDone", []);
  if (!call.canCallContracts) throw revertWith(marketAbi, "NotByContract", []);
  const { target, gas, tip } = readCallback(call, job);
  writeState(call, job, { ...state, delivered: 1n });
  jobWords.set(call, "tip", 0n, job);
  payHeld(call, caller, tip);
  const { accepted, outputs } = resultOf(call, job);
  const data = encodeFunctionData({ abi: ON_JOB_RESULT, args: [job, accepted, outputs] });
  const succeeded = call.callContract(target, hexToBytes(data), gas);
  call.emit(marketAbi, "Delivered", { job, target, succeeded, deliverer: caller, tip });
}

import { EMPTY_BYTES } from "../../base/bytes.ts";
import { OGPU } from "../../base/units.ts";
import { faucetAccount } from "../development/accounts.ts";
import { sendFrom } from "../development/send.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { address, named, optional, quantity } from "../parameters.ts";
import { invalidParams } from "../rpc-error.ts";
import { HASH } from "../schema.ts";

/** At once: so that one click does not empty it. */
const MOST: bigint = 1_000n * OGPU;

/** All that the sender leaves open. */
const OPEN = {
  ...{ from: undefined, gasLimit: undefined, nonce: undefined, type: undefined, chainId: undefined },
  ...{ gasPrice: undefined, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined, accessList: undefined },
  data: EMPTY_BYTES,
};

export const ogpuFaucet: RpcMethod = defineMethod({
  name: "ogpu_faucet",
  summary: "On a development chain: sends oGPU to an account.",
  result: HASH,
  parameters: [address, optional(named("amount", quantity), 10n * OGPU)],
  run: (context, to, value) => {
    const account = faucetAccount(context.chain.spec);
    if (value > MOST) throw invalidParams(`parameter 2 (amount) is at most 0x${MOST.toString(16)} wei`);
    return sendFrom(context, account, { ...OPEN, to, value });
  },
});

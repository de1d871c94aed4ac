import { bytesToHex } from "../../base/bytes.ts";
import { findTransaction, receiptOf } from "../find-transaction.ts";
import { MAX_SYNC_MILLISECONDS, SYNC_MILLISECONDS } from "../limits.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { data, integer, named, optional, type Parameter, quantity } from "../parameters.ts";
import { ClientGone } from "../request-budget.ts";
import { ref } from "../result-schemas.ts";
import { RpcError } from "../rpc-error.ts";

/** How often the chain is looked at. */
const LOOK_MILLISECONDS = 20;
/** EIP-7966: taken, and not in a block in time. */
const TIMEOUT = 4;

/** Milliseconds, at most what the node allows; a number, or a quantity. */
const timeout: Parameter<number> = {
  name: "timeout",
  wanted: "milliseconds",
  schema: { anyOf: [integer.schema, quantity.schema] },
  read: (value, where) => {
    const wanted = typeof value === "string" ? Number(quantity.read(value, where)) : integer.read(value, where);
    return Math.min(wanted, MAX_SYNC_MILLISECONDS);
  },
};

function tooLate(hash: string, milliseconds: number): RpcError {
  const message = `the transaction was added to the transaction pool but was not processed in ${milliseconds} ms`;
  return new RpcError(TIMEOUT, message, hash);
}

export const ethSendRawTransactionSync: RpcMethod = defineMethod({
  name: "eth_sendRawTransactionSync",
  summary: "Takes a signed transaction and answers with its receipt, once it is final (EIP-7966).",
  result: ref("Receipt"),
  parameters: [named("transaction", data), optional(timeout, SYNC_MILLISECONDS)],
  run: async ({ chain, client, wait }, raw, milliseconds) => {
    const hash = await wait(chain.submit(raw));
    const end = performance.now() + milliseconds;
    for (;;) {
      const found = findTransaction(chain, hash);
      if (found !== undefined) return receiptOf(chain, found);
      if (client.isGone()) throw new ClientGone();
      if (performance.now() >= end) throw tooLate(bytesToHex(hash), milliseconds);
      await wait(new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS)));
    }
  },
});

import { bytesToHex } from "../../base/bytes.ts";
import { findTransaction, receiptOf } from "../find-transaction.ts";
import { MAX_SYNC_MILLISECONDS, MAX_SYNC_WAITS, SYNC_MILLISECONDS, SYNC_WAITS_SHARE } from "../limits.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { data, integer, named, optional, type Parameter, quantity } from "../parameters.ts";
import { ClientGone } from "../request-budget.ts";
import { ref } from "../result-schemas.ts";
import { RpcError } from "../rpc-error.ts";
import { SyncWaits } from "../sync-waits.ts";

/** How often the chain is looked at. */
const LOOK_MILLISECONDS = 20;
/** EIP-7966: taken, and not in a block in time. */
const TIMEOUT = 4;
/** Of all clients of this process. */
const WAITS = new SyncWaits({ waits: MAX_SYNC_WAITS, share: SYNC_WAITS_SHARE });

/** Milliseconds, at most what the node allows; a number, or a quantity. What is no time is left out, by EIP-7966. */
const timeout: Parameter<number> = {
  name: "timeout",
  wanted: "milliseconds",
  schema: { anyOf: [{ type: "integer" }, quantity.schema] },
  read: (value, where) => {
    const wanted = typeof value === "string" ? Number(quantity.read(value, where)) : wholeNumber(value, where);
    return wanted > 0 ? Math.min(wanted, MAX_SYNC_MILLISECONDS) : SYNC_MILLISECONDS;
  },
};

function wholeNumber(value: unknown, where: string): number {
  return Number.isSafeInteger(value) ? (value as number) : integer.read(value, where);
}

function tooLate(hash: string, milliseconds: number): RpcError {
  const message = `the transaction was added to the transaction pool but was not processed in ${milliseconds} ms`;
  return new RpcError(TIMEOUT, message, hash);
}

export const ethSendRawTransactionSync: RpcMethod = defineMethod({
  name: "eth_sendRawTransactionSync",
  summary: "Takes a signed transaction and answers with its receipt, once it is final (EIP-7966).",
  result: ref("Receipt"),
  parameters: [named("transaction", data), optional(timeout, SYNC_MILLISECONDS)],
  run: ({ chain, client, wait }, raw, milliseconds) =>
    WAITS.during(client.address, async () => {
      const hash = await wait(chain.submit(raw, client.connection));
      const end = performance.now() + milliseconds;
      for (let seen: bigint | undefined; ; ) {
        const { number } = chain.head.header;
        // Only a block brings something new, and looking costs more than waiting.
        const found = number === seen ? undefined : findTransaction(chain, hash);
        seen = number;
        if (found !== undefined) return receiptOf(chain, found);
        if (client.isGone()) throw new ClientGone();
        if (performance.now() >= end) throw tooLate(bytesToHex(hash), milliseconds);
        await wait(new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS)));
      }
    }),
});

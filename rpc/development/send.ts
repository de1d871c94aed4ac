/** Sends transactions in the name of development accounts. */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import type { Address } from "../../vm/state/account.ts";
import { signTransaction } from "../../vm/transaction/sign.ts";
import type { CallRequest } from "../call-request.ts";
import { fillTransaction } from "../fill-transaction.ts";
import type { RpcContext } from "../method.ts";
import type { TestAccount } from "./test-accounts.ts";

/** The last transaction of each account: the next one wants the nonce after it. As many as there are accounts. */
const last = new Map<Address, Promise<unknown>>();

/** The hash, once the node has taken the transaction. */
export async function sendFrom(context: RpcContext, account: TestAccount, request: CallRequest): Promise<Hex> {
  const send = async (): Promise<Hex> => {
    const filled = await fillTransaction(context, { ...request, from: account.address });
    const raw = signTransaction(filled, account.privateKey);
    return bytesToHex(await context.wait(context.chain.submit(raw)));
  };
  const sent = (last.get(account.address) ?? Promise.resolve()).then(send);
  last.set(
    account.address,
    sent.catch(() => undefined),
  );
  return await context.wait(sent);
}

/** The transactions that wait, as txpool_... shows them. */
import type { RecoveredTransaction } from "../vm/execution/execute-block.ts";
import type { Address } from "../vm/state/account.ts";
import { MAX_POOL_CONTENT, MAX_POOL_CONTENT_BYTES } from "./limits.ts";
import type { RpcContext } from "./method.ts";

export interface WaitingPool {
  /** Those that could be in the next block. */
  readonly pending: readonly RecoveredTransaction[];
  /** Those that miss an earlier nonce. */
  readonly queued: readonly RecoveredTransaction[];
}

/** All that wait, or those of one sender, within MAX_POOL_CONTENT and its bytes, the first to arrive first. */
export async function waitingPool(context: RpcContext, sender: Address | undefined): Promise<WaitingPool> {
  const { chain, wait, turn } = context;
  const query = { sender, limit: MAX_POOL_CONTENT, bytes: MAX_POOL_CONTENT_BYTES };
  const content = await wait(Promise.resolve(chain.waitingContent(query)));
  // All who asked have the answer now: each makes its own text of it, and others have turns between them.
  await turn();
  const state = chain.stateAt(Number(chain.head.header.number));
  const sorted = [...content.transactions].sort((a, b) => (a.transaction.nonce < b.transaction.nonce ? -1 : 1));
  const next = new Map<Address, bigint>();
  const pending: RecoveredTransaction[] = [];
  const queued: RecoveredTransaction[] = [];
  for (const entry of sorted) {
    const { nonce } = entry.transaction;
    const expected = next.get(entry.sender) ?? state.account(entry.sender)?.nonce ?? 0n;
    // One whose nonce is behind is in a block that came while we asked.
    if (nonce > expected) queued.push(entry);
    else pending.push(entry);
    next.set(entry.sender, nonce === expected ? expected + 1n : expected);
  }
  return { pending, queued };
}

type Shown<Value> = Readonly<Record<string, Value>>;
type Show<Value> = (entry: RecoveredTransaction) => Value;

export function byNonce<Value>(show: Show<Value>): (entries: readonly RecoveredTransaction[]) => Shown<Value> {
  return (entries) => Object.fromEntries(entries.map((entry) => [entry.transaction.nonce.toString(), show(entry)]));
}

export function bySender<Value>(show: Show<Value>): (entries: readonly RecoveredTransaction[]) => Shown<Shown<Value>> {
  return (entries) => {
    const senders = new Map<Address, RecoveredTransaction[]>();
    for (const entry of entries) {
      const own = senders.get(entry.sender);
      if (own === undefined) senders.set(entry.sender, [entry]);
      else own.push(entry);
    }
    return Object.fromEntries([...senders].map(([sender, own]) => [sender, byNonce(show)(own)]));
  };
}

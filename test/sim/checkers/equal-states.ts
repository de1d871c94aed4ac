import { bytesToHex, equalBytes } from "../../../base/bytes.ts";
import { decodeBlock } from "../../../chain/blocks/block.ts";
import type { BlockHeader } from "../../../chain/blocks/header.ts";
import { decodeAccount } from "../../../chain/store/account-record.ts";
import { BUCKETS } from "../../../chain/store/buckets.ts";
import { addLeaves, type StateLeaf } from "../../../chain/store/state-leaves.ts";
import { allocatedSupply } from "../../../genesis/chain-spec.ts";
import { emissionOfBlock } from "../../../genesis/emission.ts";
import { TOKEN_ADDRESS } from "../../../vm/modules/addresses.ts";
import { decodeTransaction } from "../../../vm/transaction/transaction.ts";
import { TreeBuilder } from "../../../vm/tree/bulk.ts";
import { BURN_CALL } from "../ledger-clients.ts";
import { LedgerNode } from "../ledger-node.ts";
import type { LedgerWorld } from "../ledger-world.ts";
import type { NamedChecker } from "./checker.ts";

/**
 * The records on each disk are the state that the last header names: the tree is built anew from all of them. Together
 * the accounts have what genesis gave, and what blocks minted, less what they burned, added up from the blocks alone.
 */
export const equalStates: NamedChecker = {
  name: "equal-states",
  make: (report, { ledger }) => {
    if (ledger === undefined) return {};
    const supplies = new Map<number, bigint>([[0, allocatedSupply(ledger.spec)]]);
    return {
      onBlock: (node, { height, body }) => {
        const { header, transactions } = decodeBlock(body);
        const below = supplies.get(height - 1);
        const supply = supplies.get(height) ?? (below && supplyAfter(below, header, transactions, ledger));
        if (supply !== undefined) supplies.set(height, supply);
        // A commit behind this one may be durable already, and then the disk has its state.
        if (!(node instanceof LedgerNode) || node.finals.height !== height) return;
        const leaves = leavesOf(node);
        const sum = leaves.reduce((total, leaf) => total + (leaf.kind === "account" ? leaf.account.balance : 0n), 0n);
        if (supply !== undefined && sum !== supply) {
          report(`node ${node.index} at height ${height}: accounts have ${sum}, and there should be ${supply}`);
        }
        const root = rootOf(leaves);
        if (!equalBytes(root, header.stateRoot)) {
          report(`node ${node.index} at height ${height}: the records have the root ${bytesToHex(root)}`);
        }
      },
    };
  },
};

/** The base fee of all gas is burned, and so is what calls of `burn` bring along. */
function supplyAfter(
  below: bigint,
  { number, gasUsed, baseFeePerGas }: BlockHeader,
  transactions: readonly Uint8Array[],
  { spec }: LedgerWorld,
): bigint {
  const burned = transactions.map((raw) => decodeTransaction(raw)).filter(({ to }) => to === TOKEN_ADDRESS);
  const byCalls = burned.reduce((sum, { data, value }) => sum + (equalBytes(data, BURN_CALL) ? value : 0n), 0n);
  return below + emissionOfBlock(spec.modules.token.emission, number) - gasUsed * baseFeePerGas - byCalls;
}

/** In the order of the tree: each account, followed by its slots. */
function leavesOf({ level }: LedgerNode): readonly StateLeaf[] {
  const accounts = level.bucket(BUCKETS.accounts);
  const slots = level.bucket(BUCKETS.slots);
  return accounts.flatMap(({ key, value }): StateLeaf[] => {
    const own = slots.filter((slot) => equalBytes(slot.key.subarray(0, key.length), key));
    return [
      { kind: "account", key, account: decodeAccount(value) },
      ...own.map((slot): StateLeaf => ({ kind: "slot", ...slot })),
    ];
  });
}

function rootOf(leaves: readonly StateLeaf[]): Uint8Array {
  const builder = new TreeBuilder(() => undefined);
  addLeaves(builder, leaves);
  return builder.finish().root;
}

import { bytes32, bytesToBigint, bytesToHex, compareBytes, equalBytes } from "../../../base/bytes.ts";
import { decodeBlock } from "../../../chain/blocks/block.ts";
import { decodeAccount } from "../../../chain/store/account-record.ts";
import { BUCKETS } from "../../../chain/store/buckets.ts";
import { addLeaves, type StateLeaf } from "../../../chain/store/state-leaves.ts";
import { allocatedSupply } from "../../../genesis/chain-spec.ts";
import { emissionUpTo } from "../../../genesis/emission.ts";
import { TOKEN_ADDRESS } from "../../../vm/modules/addresses.ts";
import { keyOfSlot } from "../../../vm/state/keys.ts";
import { decodeTransaction } from "../../../vm/transaction/transaction.ts";
import { TreeBuilder } from "../../../vm/tree/bulk.ts";
import { BURN_CALL } from "../ledger-clients.ts";
import { LedgerNode } from "../ledger-node.ts";
import type { LedgerWorld } from "../ledger-world.ts";
import type { NamedChecker } from "./checker.ts";

/**
 * The records on each disk are the state that the last header names: the tree is built anew from all of them. Together
 * the accounts have what genesis gave, and what blocks minted, less what they burned.
 */
export const equalStates: NamedChecker = {
  name: "equal-states",
  make: (report, { ledger }) => {
    if (ledger === undefined) return {};
    /** By height: what calls have burned up to there. The clients' calls do not fail. */
    const burned = new Map<number, bigint>([[0, 0n]]);
    return {
      onBlock: (node, { height, body }) => {
        const { header, transactions } = decodeBlock(body);
        const below = burned.get(height - 1);
        if (below !== undefined) burned.set(height, below + burnedIn(transactions));
        // A commit behind this one may be durable already, and then the disk has its state.
        if (!(node instanceof LedgerNode) || node.finals.height !== height) return;
        const leaves = leavesOf(node);
        const sum = leaves.reduce((total, leaf) => total + (leaf.kind === "account" ? leaf.account.balance : 0n), 0n);
        const supply = supplyOf(leaves, height, burned.get(height) ?? 0n, ledger);
        if (sum !== supply) {
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

/**
 * What there should be by the token module's totals, if these make sense: no more was minted than the schedule allows,
 * and at least what calls of `burn` brought along is gone. Who got how much is the business of the modules' own models.
 */
function supplyOf(leaves: readonly StateLeaf[], height: number, burnedByCalls: bigint, { spec }: LedgerWorld): bigint {
  const read = (slot: bigint): bigint => {
    const key = keyOfSlot(TOKEN_ADDRESS, bytesToHex(bytes32(slot)));
    const leaf = leaves.find((one) => equalBytes(one.key, key));
    return leaf?.kind === "slot" ? bytesToBigint(leaf.value) : 0n;
  };
  const [minted, burned, genesis] = [read(0n), read(1n), read(2n)];
  const { cap, emission } = spec.modules.token;
  const isPlausible = genesis === allocatedSupply(spec) && minted <= emissionUpTo(emission, BigInt(height));
  return isPlausible && burned >= burnedByCalls && genesis + minted - burned <= cap ? genesis + minted - burned : -1n;
}

function burnedIn(transactions: readonly Uint8Array[]): bigint {
  const calls = transactions.map((raw) => decodeTransaction(raw)).filter(({ to }) => to === TOKEN_ADDRESS);
  return calls.reduce((sum, { data, value }) => sum + (equalBytes(data, BURN_CALL) ? value : 0n), 0n);
}

/** In the order of the tree: each account, followed by its slots. */
function leavesOf({ level }: LedgerNode): readonly StateLeaf[] {
  const accounts = level.bucket(BUCKETS.accounts);
  const slots = level.bucket(BUCKETS.slots);
  const leaves: StateLeaf[] = [
    ...accounts.map(({ key, value }): StateLeaf => ({ kind: "account", key, account: decodeAccount(value) })),
    ...slots.map((slot): StateLeaf => ({ kind: "slot", ...slot })),
  ];
  return leaves.sort((a, b) => compareBytes(a.key, b.key));
}

function rootOf(leaves: readonly StateLeaf[]): Uint8Array {
  const builder = new TreeBuilder(() => undefined);
  addLeaves(builder, leaves);
  return builder.finish().root;
}

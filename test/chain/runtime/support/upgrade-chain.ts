/** A chain of one validator on which an upgrade is scheduled, by real transactions in real blocks. */
import { encodeFunctionData, type Hex } from "viem";
import { bytesToHex, hexToBytes } from "../../../../base/bytes.ts";
import { privateKeyToAddress } from "../../../../base/secp256k1.ts";
import { GWEI, OGPU } from "../../../../base/units.ts";
import type { Node } from "../../../../chain/runtime/node.ts";
import type { ChainSpec } from "../../../../genesis/chain-spec.ts";
import { developmentOperatorKey } from "../../../../genesis/development-validators.ts";
import { governanceAbi } from "../../../../vm/interfaces/abi/governance.ts";
import { GOVERNANCE_ADDRESS } from "../../../../vm/modules/addresses.ts";
import { signTransaction } from "../../../../vm/transaction/sign.ts";
import { ALICE, type Person, type SingleNode } from "./single-node.ts";

export const UPGRADE = "wider-blocks";
/** The first block by its rules. */
export const UPGRADE_HEIGHT = 45;

const operatorKey = developmentOperatorKey(0);
const OPERATOR: Person = { key: operatorKey, address: bytesToHex(privateKeyToAddress(operatorKey)) };
const DEPOSIT = OGPU;

/** Quick votes, and money for those who propose and vote. */
export function upgradeSpec(spec: ChainSpec, seconds: bigint): ChainSpec {
  const { governance } = spec.modules;
  const quick = { ...governance, deposit: DEPOSIT, votingSeconds: seconds, timelockSeconds: seconds };
  const rest = { note: "", balance: 1000n * OGPU, nonce: 0n, code: new Uint8Array(), storage: new Map() };
  const others = spec.accounts.filter(({ address }) => address !== ALICE.address && address !== OPERATOR.address);
  return {
    ...spec,
    modules: { ...spec.modules, governance: quick },
    accounts: [...others, { ...rest, address: ALICE.address }, { ...rest, address: OPERATOR.address }],
  };
}

/** Proposes the upgrade and votes for it. `include` resolves when the transaction is in a block. */
export async function proposeUpgrade(
  { chainId }: ChainSpec,
  node: Node,
  include: (raw: Uint8Array) => Promise<void>,
  height: number = UPGRADE_HEIGHT,
): Promise<void> {
  const args = ["Wider blocks", "", UPGRADE, BigInt(height)] as const;
  const proposal = encodeFunctionData({ abi: governanceAbi, functionName: "proposeUpgrade", args });
  const vote = encodeFunctionData({ abi: governanceAbi, functionName: "vote", args: [1n, 1] });
  for (const [from, value, data] of [[ALICE, DEPOSIT, proposal] as const, [OPERATOR, 0n, vote] as const]) {
    await include(sign(chainId, from, value, data));
    const receipts = node.receipts(node.head.number) ?? [];
    if (receipts[0]?.succeeded !== true) throw new Error("a call of governance failed");
  }
}

function sign(chainId: bigint, from: Person, value: bigint, data: Hex): Uint8Array {
  const fees = { maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI, gasLimit: 1_000_000n };
  const call = { to: GOVERNANCE_ADDRESS, value, data: hexToBytes(data), accessList: [] };
  return signTransaction({ type: 2, chainId, nonce: 0n, ...fees, ...call }, from.key);
}

/** Proposes it, votes, and lets blocks come until the one before it. */
export async function runToUpgrade(fixture: SingleNode, node: Node): Promise<void> {
  await proposeUpgrade(fixture.spec, node, async (raw) => {
    await node.submit(raw);
    await fixture.nextBlock(node);
  });
  while (node.head.number < UPGRADE_HEIGHT - 1) await nextHeartbeat(fixture, node);
}

/** An empty block. */
export async function nextHeartbeat(fixture: SingleNode, node: Node): Promise<void> {
  const made = new Promise<void>((resolve) => {
    const end = node.onBlock(() => {
      end();
      resolve();
    });
  });
  // Let the commit of the block before come to its end.
  await new Promise((resolve) => setImmediate(resolve));
  fixture.clock.advance(fixture.spec.consensus.heartbeatMilliseconds);
  await made;
}

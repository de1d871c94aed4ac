/** An invariant, stated again and apart from the code that must keep it. Only honest nodes are looked at. */
import type { Crypto } from "../../../chain/consensus/crypto.ts";
import type { Block, Certificate, Evidence, PeerId } from "../../../chain/consensus/types.ts";
import type { NodeMessage } from "../../../chain/wire/node-message.ts";
import type { LedgerWorld } from "../ledger-world.ts";
import type { SimNode } from "../sim-node.ts";

export interface CheckedWorld {
  readonly chainId: bigint;
  readonly crypto: Crypto;
  readonly honest: readonly SimNode[];
  /** Of whole nodes. */
  readonly ledger: LedgerWorld | undefined;
  readonly now: number;
}

export type Report = (reason: string) => void;

export interface Checker {
  /** Something leaves the node. */
  onSend?(node: SimNode, message: NodeMessage): void;
  /** A block is durable. The certificate is its own, or that of a later block that was committed with it. */
  onBlock?(node: SimNode, block: Block, certificate: Certificate): void;
  onEvidence?(node: SimNode, evidence: Evidence): void;
  onBlame?(node: SimNode, peer: PeerId): void;
  onStep?(node: SimNode): void;
  /** After everything, when the network rests. */
  onEnd?(): void;
}

export interface NamedChecker {
  readonly name: string;
  make(report: Report, world: CheckedWorld): Checker;
}

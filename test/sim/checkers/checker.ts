/** An invariant, stated again and apart from the code that must keep it. Only honest nodes are looked at. */
import type { Crypto } from "../../../chain/consensus/crypto.ts";
import type { Block, Certificate, Evidence, Message, PeerId } from "../../../chain/consensus/types.ts";
import type { SimNode } from "../node.ts";

export interface CheckedWorld {
  readonly chainId: bigint;
  readonly capDivisor: bigint;
  readonly crypto: Crypto;
  readonly honest: readonly SimNode[];
  readonly now: number;
}

export type Report = (reason: string) => void;

export interface Checker {
  /** Something leaves the node. */
  onSend?(node: SimNode, message: Message): void;
  /** A commit is durable. */
  onCommit?(node: SimNode, blocks: readonly Block[], certificate: Certificate): void;
  onEvidence?(node: SimNode, evidence: Evidence): void;
  onBlame?(node: SimNode, peer: PeerId): void;
  onStep?(node: SimNode): void;
}

export interface NamedChecker {
  readonly name: string;
  make(report: Report, world: CheckedWorld): Checker;
}

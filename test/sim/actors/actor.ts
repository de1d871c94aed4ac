/** A Byzantine validator: an ordinary core whose words an actor changes. It holds its own key and nobody else's. */

import type { Hex } from "../../../base/bytes.ts";
import type { Prng } from "../../../base/prng.ts";
import type { VoteContent } from "../../../base/votes.ts";
import type { ConsensusState } from "../../../chain/consensus/state.ts";
import type { Block, PeerId, Vote } from "../../../chain/consensus/types.ts";
import type { NodeMessage } from "../../../chain/wire/node-message.ts";
import type { Receivers } from "../receivers.ts";

export interface ActorContext {
  readonly prng: Prng;
  readonly peers: readonly PeerId[];
  /** What all liars of a run know together: by view, the blocks that their leader showed to each half. */
  readonly conspiracy: Map<string, readonly [Hex, Hex]>;
  readonly state: ConsensusState;
  /** Signs anything with the actor's key. The caller is a member of the epoch's set. */
  sign(content: VoteContent): Vote;
  /** A block of the actor's own, if it has executed the parent. */
  blockOn(parent: Block, view: number): Block | undefined;
  /** The block with other transactions and a right or wrong root. */
  variantOf(block: Block, rootIsRight: boolean): Block;
  /** Gossips these as transactions, whatever they are. Nobody does with the counter. */
  readonly publish: (raws: readonly Uint8Array[]) => void;
}

export interface Outgoing {
  readonly to: Receivers;
  readonly message: NodeMessage;
}

export interface Actor {
  readonly name: string;
  /** What is really said when the core would say this. */
  outgoing(context: ActorContext, said: Outgoing): Iterable<Outgoing>;
}

/** Two groups of peers, differently cut each time. */
export function halves(context: ActorContext): readonly [readonly PeerId[], readonly PeerId[]] {
  const shuffled = context.prng.shuffle([...context.peers]);
  const middle = shuffled.length >> 1;
  return [shuffled.slice(0, middle), shuffled.slice(middle)];
}

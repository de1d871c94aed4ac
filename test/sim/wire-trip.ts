/** A message as it is after its way over the wire: encoded, and decoded by the rules for strangers. */
import { announcedBlockOf } from "../../chain/blocks/consensus-block.ts";
import {
  addressed,
  channelsOf,
  decodeMessage,
  encodeMessage,
  type NodeMessage,
} from "../../chain/wire/node-message.ts";
import { isConsensus } from "./sim-node.ts";

const CHANNELS = channelsOf(announcedBlockOf);

export interface Arrived {
  readonly message: NodeMessage;
  readonly bytes: number;
}

/** Or why nobody can write or read it: only liars send such things, with other programs than ours. */
export function wireTrip(message: NodeMessage): Arrived | Error {
  try {
    const form = addressed(message);
    const encoded = encodeMessage(CHANNELS, form);
    const decoded = decodeMessage(CHANNELS, form.channel, encoded);
    const arrived = decoded.type === "sync" ? decoded.message : decoded;
    return isMessage(arrived) ? { message: arrived, bytes: encoded.length } : new Error(`became ${arrived.type}`);
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

const SERVICE_TYPES: ReadonlySet<string> = new Set(["hello", "status", "get-peers", "peers"]);

function isMessage(message: { readonly type: string }): message is NodeMessage {
  return isConsensus(message as NodeMessage) || !SERVICE_TYPES.has(message.type);
}

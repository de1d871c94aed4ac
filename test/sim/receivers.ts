import type { PeerId } from "../../chain/consensus/types.ts";

/** To one node, to all, or to those that have a key. */
export type Receivers = PeerId | "all" | "validators";

import type { PeerId } from "../../chain/consensus/types.ts";

/** To one node, to all, to those that have a key, or to some of these. */
export type Receivers = PeerId | "all" | "validators" | "some";

/**
 * Known traps of this protocol, each as a switch that only tests turn on: the simulator must find every one of them.
 * docs/spec/proof-of-sync.md says which rule each one breaks.
 */
export type PlantedBug =
  /** Blocks are not persisted with PROPOSE and NOTARIZE: when all nodes restart, nobody has the notarized block. */
  | "lose-notarized-bodies"
  /** After a restart the own NULLIFY is guarded but neither counted nor sent again: the view never ends. */
  | "forget-own-nullify"
  /** FINALIZE is signed in a view that the validator gave up: two chains can become final. */
  | "finalize-after-timeout"
  /** A view both notarized and nullified is neither built on nor skipped: two halves reject each other's chain. */
  | "reject-mixed-views"
  /** FINALIZE is signed only while still in the view: slow validators never do, and finality starves. */
  | "finalize-in-view-only"
  /** Nothing is held back where the log has dropped votes: a validator that lost its chain signs its old views again. */
  | "sign-below-floor";

export const PLANTED_BUGS: readonly PlantedBug[] = [
  "lose-notarized-bodies",
  "forget-own-nullify",
  "finalize-after-timeout",
  "reject-mixed-views",
  "finalize-in-view-only",
  "sign-below-floor",
];

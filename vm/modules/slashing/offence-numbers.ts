/** Offences as numbers: of the interface's `Offence`, and of the history in the module's account. Never reuse one. */
import type { Offence } from "../../../base/votes.ts";

export const OFFENCE_NUMBERS: Readonly<Record<Offence | "downtime", number>> = {
  "double-propose": 1,
  "double-notarize": 2,
  "double-finalize": 3,
  "nullify-finalize": 4,
  "finalize-other": 5,
  downtime: 6,
};

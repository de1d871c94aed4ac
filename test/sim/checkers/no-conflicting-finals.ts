import type { Hex } from "../../../base/bytes.ts";
import type { NamedChecker } from "./checker.ts";

/** At each height there is one final block, whoever says so and whenever. */
export const noConflictingFinals: NamedChecker = {
  name: "no-conflicting-finals",
  make: (report) => {
    const final = new Map<number, Hex>();
    return {
      onBlock: (node, { height, hash }) => {
        const other = final.get(height) ?? hash;
        final.set(height, other);
        if (other !== hash) report(`node ${node.index} finalised ${hash} at height ${height}, another ${other}`);
      },
    };
  },
};

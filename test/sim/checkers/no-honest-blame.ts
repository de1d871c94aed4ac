import type { NamedChecker } from "./checker.ts";

/** Whoever is blamed for a false signature is a liar: honest peers hand on nothing that they have not checked. */
export const noHonestBlame: NamedChecker = {
  name: "no-honest-blame",
  make: (report, { honest }) => {
    const ids = new Set<string>(honest.map(({ id }) => id));
    return {
      onBlame: (node, peer) => {
        if (ids.has(peer)) report(`node ${node.index} blames an honest peer`);
      },
    };
  },
};

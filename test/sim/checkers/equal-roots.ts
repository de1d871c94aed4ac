import { bytesToHex, equalBytes } from "../../../base/bytes.ts";
import { decodeBody, nextRoot } from "../counter-app.ts";
import type { NamedChecker } from "./checker.ts";

/** The root of every final block is what its transactions give, folded from genesis by one ledger apart. */
export const equalRoots: NamedChecker = {
  name: "equal-roots",
  make: (report) => {
    const roots: Uint8Array[] = [new Uint8Array(32)];
    return {
      onBlock: (node, { height, body }) => {
        const { transactions, root } = decodeBody(body);
        const below = roots[height - 1];
        if (below === undefined) return;
        const expected = roots[height] ?? nextRoot(below, transactions);
        roots[height] = expected;
        if (!equalBytes(root, expected)) report(`node ${node.index}: root ${bytesToHex(root)} at height ${height}`);
      },
    };
  },
};

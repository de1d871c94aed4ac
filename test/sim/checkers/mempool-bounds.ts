import { MEMPOOL_LIMITS } from "../../../chain/mempool/limits.ts";
import { LedgerNode } from "../ledger-node.ts";
import type { NamedChecker } from "./checker.ts";

/** A mempool stays within its limits, and what is final does not wait in it: at rest it is empty. */
export const mempoolBounds: NamedChecker = {
  name: "mempool-bounds",
  make: (report, { honest }) => ({
    onStep: (node) => {
      const { mempool } = (node instanceof LedgerNode && node.node) || {};
      if (mempool === undefined) return;
      const { transactions, bytes } = MEMPOOL_LIMITS;
      if (mempool.size > transactions) report(`node ${node.index}: ${mempool.size} transactions wait`);
      if (mempool.bytes > bytes) report(`node ${node.index}: ${mempool.bytes} bytes wait`);
    },
    onEnd: () => {
      for (const node of honest) {
        const { mempool } = (node instanceof LedgerNode && node.node) || {};
        if (mempool !== undefined && mempool.size > 0) report(`node ${node.index}: ${mempool.size} wait at the end`);
      }
    },
  }),
};

import type { NamedChecker } from "./checker.ts";

/** Each node's final chain only grows, block upon block, also over crashes. */
export const prefixOrder: NamedChecker = {
  name: "prefix-order",
  make: (report) => ({
    onBlock: (node, block) => {
      const below = node.finals.block(block.height - 1);
      if (below?.hash !== block.parent) report(`node ${node.index}: block ${block.height} is not upon its parent`);
      if (node.finals.block(block.height)?.hash !== block.hash)
        report(`node ${node.index}: height ${block.height} moved`);
    },
  }),
};

import { CounterNode } from "../counter-node.ts";
import type { NamedChecker } from "./checker.ts";

const SLACK = 80;

/** What a node keeps grows with the views since the final one, and with nothing else. */
export const boundedMemory: NamedChecker = {
  name: "bounded-memory",
  make: (report) => ({
    onStep: (node) => {
      const { state } = node;
      if (state === undefined) return;
      const views = state.view - state.finalView;
      const validators = state.epoch.set.ids.length;
      const check = (name: string, size: number, bound: number): void => {
        if (size > bound) report(`node ${node.index} keeps ${size} ${name}, more than ${bound}, at ${views} views`);
      };
      check("rounds", state.rounds.size, views + SLACK);
      check("blocks", state.blocks.size, 2 * views + SLACK);
      check("wanted", state.wanted.size, SLACK);
      // Whole nodes do not tell; their inbox is the same.
      if (node instanceof CounterNode) check("unchecked votes", node.waitingVotes, (views + SLACK) * validators * 8);
      check("log records", state.logged, state.parameters.logLimit + 16 * (views + SLACK));
    },
  }),
};

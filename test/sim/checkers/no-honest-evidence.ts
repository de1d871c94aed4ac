import { verifyEvidence } from "../../../chain/consensus/evidence.ts";
import type { Vote } from "../../../chain/consensus/types.ts";
import type { NamedChecker } from "./checker.ts";
import { ownVote } from "./own-vote.ts";

/**
 * No two signatures of an honest validator are slashable. In one view it says, at most: one PROPOSE, one NOTARIZE, one
 * FINALIZE; never FINALIZE with NULLIFY; FINALIZE and NOTARIZE of the same block.
 */
export const noHonestEvidence: NamedChecker = {
  name: "no-honest-evidence",
  make: (report, world) => {
    const said = new Map<string, string>();
    const say = (node: number, { kind, epoch, view, hash }: Vote): void => {
      const key = (of: string): string => `${node}/${epoch}/${view}/${of}`;
      const before = said.get(key(kind));
      if (before === hash) return;
      if (before !== undefined) report(`node ${node} signed ${kind} twice in view ${epoch}/${view}`);
      said.set(key(kind), hash);
      const finalized = said.get(key("FINALIZE"));
      const notarized = said.get(key("NOTARIZE"));
      if (finalized === undefined) return;
      if (said.has(key("NULLIFY"))) report(`node ${node} signed NULLIFY and FINALIZE in view ${epoch}/${view}`);
      if (notarized !== undefined && notarized !== finalized) {
        report(`node ${node} notarized one block and finalized another in view ${epoch}/${view}`);
      }
    };
    return {
      onSend: (node, message) => {
        const vote = ownVote(message);
        if (vote !== undefined) say(node.index, vote);
      },
      onEvidence: (node, evidence) => {
        const set = node.state?.epoch.set;
        if (set === undefined) return;
        const accused = set.ids[evidence.first.validator];
        if (world.honest.some(({ id }) => id === accused)) report(`node ${node.index} accuses an honest validator`);
        if (verifyEvidence(evidence, set, world.chainId, world.crypto) !== undefined) return;
        report(`node ${node.index} has evidence that nobody else would believe`);
      },
    };
  },
};

/** Proposals as governance has them. */
import { node } from "../../state/node.ts";

export const STATUS_WORDS = [
  "none",
  "Voting",
  "Accepted, waiting",
  "Executed",
  "Failed",
  "Rejected",
  "No quorum",
  "Vetoed",
  "Cancelled",
] as const;
export const KIND_WORDS = ["none", "Parameters", "Spending", "Upgrade", "Text"] as const;

export const VOTING = 1;
export const QUEUED = 2;

export interface Tally {
  readonly yes: bigint;
  readonly no: bigint;
  readonly abstain: bigint;
  readonly veto: bigint;
  readonly total: bigint;
}

export type Proposal = Awaited<ReturnType<typeof node.getProposal>>;

export async function readTally(id: bigint): Promise<Tally> {
  const [yes, no, abstain, veto, total] = await node.getTally({ id });
  return { yes, no, abstain, veto, total };
}

export interface Counted {
  readonly proposal: Proposal;
  readonly tally: Tally;
}

/** Proposals of one page; older ones are found by their number. */
const PAGE = 50n;

/** The newest first. */
export async function readProposals(): Promise<readonly Counted[]> {
  const count = await node.readModule({ module: "governance", functionName: "proposalCount" });
  if (count === 0n) return [];
  const start = count > PAGE ? count - PAGE + 1n : 1n;
  const proposals = await node.readModule({ module: "governance", functionName: "proposals", args: [start, PAGE] });
  const counted = await Promise.all(
    proposals.map(async (proposal) => ({ proposal, tally: await readTally(proposal.id) })),
  );
  return counted.reverse();
}

export interface Wanted {
  readonly text: string;
  readonly changes: readonly (readonly [name: string, value: bigint])[];
  readonly spending: { readonly to: `0x${string}`; readonly amount: bigint } | undefined;
  readonly upgrade: { readonly name: string; readonly height: bigint } | undefined;
}

/** What follows if it is accepted. */
export async function readWanted({ id, kind }: Proposal): Promise<Wanted> {
  const nothing: Wanted = { text: "", changes: [], spending: undefined, upgrade: undefined };
  switch (KIND_WORDS[kind]) {
    case "Parameters": {
      const [names, values] = await node.readModule({ module: "governance", functionName: "changesOf", args: [id] });
      return { ...nothing, changes: names.map((name, index) => [name, values[index] ?? 0n]) };
    }
    case "Spending": {
      const [to, amount] = await node.readModule({ module: "governance", functionName: "spendingOf", args: [id] });
      return { ...nothing, spending: { to, amount } };
    }
    case "Upgrade": {
      const [name, height] = await node.readModule({ module: "governance", functionName: "upgradeOf", args: [id] });
      return { ...nothing, upgrade: { name, height } };
    }
    default:
      return nothing;
  }
}

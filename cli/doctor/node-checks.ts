/** The node that answers RPC, if one does: peers, how old its last block is, and whether its clock and ours agree. */
import { CodedError } from "../../base/errors.ts";
import { callRpc } from "../json-rpc-client.ts";
import { type Finding, fault, look, ok, skipped } from "./finding.ts";

export interface NodeStatus {
  readonly network: string;
  readonly role: string;
  readonly peers: number;
  readonly development: boolean;
  readonly head: { readonly number: string; readonly milliseconds: number };
}

/** Milliseconds. A chain makes a block every heartbeat at least: ten seconds, as its specs say. */
const OLD_HEAD = 60_000;
/** What the chain forgives, as its specs say. */
const SKEW = 1_000;

export function checkStatus({ network, role, peers, head, development }: NodeStatus, now: number): readonly Finding[] {
  const age = now - head.milliseconds;
  const seconds = Math.round(age / 1_000);
  const findings = [ok("node", `${role} of ${network} at block ${Number(head.number)}`)];
  const advice = "Give it some with --bootstrap, and let its --p2p-port through the firewall.";
  if (peers > 0) findings.push(ok("peers", `${peers} connected`));
  // A development chain of one validator needs none.
  else findings.push(development ? look("peers", "none", advice) : fault("peers", "none", advice));
  if (age < -SKEW) {
    findings.push(
      fault("clock", `${-seconds} s behind the last block`, "Set this machine's clock: timedatectl set-ntp true."),
    );
  } else if (age > OLD_HEAD) {
    findings.push(
      look(
        "last block",
        `${seconds} s old`,
        "The node catches up or is cut off, or the network stands still; see its log.",
      ),
    );
  } else findings.push(ok("last block", `${Math.max(0, seconds)} s old`));
  return findings;
}

/** The status, or why there is none. */
export async function nodeStatus(rpc: string): Promise<NodeStatus | Finding> {
  try {
    return await callRpc<NodeStatus>(rpc, "ogpu_status", []);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    if (error.code === "RPC_UNREACHABLE") return skipped("node", `none answers at ${rpc}`);
    return fault("node", error.message, "Check --rpc: that is not a node of this chain.");
  }
}

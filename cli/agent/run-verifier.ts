/** A verifier in this process: its journal in a folder, the chain through a node. */
import { join } from "node:path";
import type { Hex } from "../../base/bytes.ts";
import { eitherSignal } from "../../base/either-signal.ts";
import { CodedError } from "../../base/errors.ts";
import { getBlob } from "../../compute/agent/blobs/get-blob.ts";
import type { ChainPort } from "../../compute/agent/ports.ts";
import { askTile } from "../../compute/agent/tiles/ask-tile.ts";
import {
  VerifierAgent,
  type VerifierEvent,
  type VerifierOptions,
} from "../../compute/agent/verifier/verifier-agent.ts";
import { makeFolder } from "../make-folder.ts";
import { agentWeb } from "./agent-web.ts";
import { JournalFile } from "./journal-file.ts";
import { requireDone } from "./module-sender.ts";
import { NodeChain } from "./node-chain.ts";
import { systemClock } from "./system-clock.ts";

export interface VerifierSetup {
  readonly rpc: string;
  readonly key: Uint8Array;
  readonly dataDir: string;
  /** Registers with so much if the account is no verifier yet, in wei. */
  readonly stake: bigint | undefined;
  readonly challenges: boolean;
  /** Asks those too who registered an address of an internal network. */
  readonly allowInternal: boolean;
  /** For tests: parts that do not do what they should. */
  readonly faults?: VerifierFaults;
  tell(event: VerifierEvent | VerifierStarted): void;
}

export interface VerifierFaults {
  readonly recompute?: NonNullable<VerifierOptions["recompute"]>;
  chain?(chain: ChainPort): ChainPort;
}

export interface VerifierStarted {
  readonly event: "started";
  readonly account: Hex;
  readonly stake: bigint;
  readonly units: bigint;
  /** Whoever is paused, jailed or leaves answers the seats that it has, and gets no new ones from the next epoch on. */
  readonly state: "active" | "paused" | "leaving";
  /** Protocol seconds; 0 when it is not. */
  readonly jailedUntil: bigint;
}

/** Blocks before the present one whose rounds are looked at: this verifier may have been down when it was drawn. */
const LOOK_BACK = 2_000n;
/** As the module numbers them. */
const STATES = ["none", "active", "paused", "leaving"] as const;
/** That fetching an output to be checked may take. */
const OUTPUT_MILLISECONDS = 60_000;

/** Until the signal. Throws VERIFIER_UNKNOWN, and what the chain refuses. */
export async function runVerifier(setup: VerifierSetup, signal: AbortSignal): Promise<void> {
  const { rpc, key, dataDir, challenges, faults = {}, tell } = setup;
  await makeFolder(dataDir);
  const chain = new NodeChain(rpc, key);
  const journal = new JournalFile(join(dataDir, `seals-${chain.account}.journal`));
  try {
    tell(await register(chain, setup));
    const web = agentWeb(chain.link, setup.allowInternal);
    const stopOutput = (): AbortSignal => eitherSignal(signal, AbortSignal.timeout(OUTPUT_MILLISECONDS));
    const { number: head } = (await chain.link.getStatus()).head;
    const agent = await VerifierAgent.open(
      {
        ...{ chain: faults.chain?.(chain) ?? chain, journal, clock: systemClock, tell },
        ask: (endpoint, round, place, stop) =>
          askTile(endpoint, round, place, (digest) => chain.sign(digest), web, stop),
        output: (address, most, places) => getBlob(address, most, [...places, rpc], web, stopOutput()),
      },
      {
        from: head > LOOK_BACK ? head - LOOK_BACK : 0n,
        challenges,
        ...(faults.recompute && { recompute: faults.recompute }),
      },
    );
    await agent.run(signal);
  } finally {
    chain.close();
    await journal.close();
  }
}

async function register(chain: NodeChain, { stake }: VerifierSetup): Promise<VerifierStarted> {
  const { account, link, transactions } = chain;
  const read = () => link.readModule({ module: "verifiers", functionName: "verifierOf", args: [account] });
  let found = await read();
  if (found.status === 0 && stake !== undefined) {
    await requireDone(transactions, { module: "verifiers", name: "register", args: [] }, stake);
    found = await read();
  }
  const state = STATES[found.status] ?? "none";
  if (state === "none") {
    throw new CodedError("VERIFIER_UNKNOWN", `${account} is not registered as a verifier`, {
      hint: "Register it with --stake <oGPU>: what it loses when it says what is false.",
    });
  }
  const { stake: staked, units, jailedUntil } = found;
  return { event: "started", account, stake: staked, units, state, jailedUntil };
}

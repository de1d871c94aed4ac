/** A provider whose round was lost by a vote: it calls the referee if it was right, and only then. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../../../base/bytes.ts";
import { USUAL_POLICY } from "../../../../compute/agent/provider/policy.ts";
import type { ProviderEvent } from "../../../../compute/agent/provider/provider-event.ts";
import { askTile } from "../../../../compute/agent/tiles/ask-tile.ts";
import { recomputeTile } from "../../../../compute/agent/verifier/recompute-tile.ts";
import { openWeb } from "../../../../compute/agent/web.ts";
import { checkProgram } from "../../../../compute/ptx/check-program.ts";
import { home, type Provider, race, SEAT_KEY, start, until, upload, work } from "../support/running-provider.ts";
import { ScriptedChain } from "../support/scripted-chain.ts";

const never = new AbortController().signal;
const PLACE = { launch: 5, tile: 2 };
const WRONG: Hex = `0x${"ee".repeat(32)}`;

interface Lost {
  readonly chain: ScriptedChain;
  readonly provider: Provider;
  /** Decides the round. */
  decide(phase: "rejected" | "referee", reason: number, digest?: Hex): void;
}

/** A task that is computed, committed and opened; verifiers may say of it what they like. */
async function judged(byte: number, policy = USUAL_POLICY): Promise<Lost> {
  const chain = new ScriptedChain();
  const task = work(chain, `defence ${byte}`);
  const provider = await start(chain, home(byte), policy);
  await upload(provider.endpoint, task.contents);
  race(chain, task, 5n, provider.account);
  chain.tick({ jobs: [5n] });
  await until(() => chain.rounds.has(9n), chain);
  const round = chain.rounds.get(9n);
  if (round === undefined) throw new Error("there is a round");
  const sign = (digest: Uint8Array): Promise<Uint8Array> => chain.port(SEAT_KEY).sign(digest);
  const inputs = await askTile(provider.endpoint, 9n, PLACE, sign, openWeb, never);
  const question = { first: 0, ...PLACE, segmentRoot: hexToBytes(round.segmentRoot), checkpointRoot: undefined };
  const checked = checkProgram(task.program);
  const found = recomputeTile({ checked, ...question, inputs: task.inputs.map(hexToBytes) }, inputs);
  round.phase = "opening";
  chain.tick({ rounds: [9n], jobs: [5n] });
  await until(() => round.seedPublished, chain);
  return {
    ...{ chain, provider },
    decide: (phase, reason, digest = bytesToHex(found.digest)) => {
      round.seats = round.seats.map((seat) => ({ ...seat, digest }));
      Object.assign(round, { phase, reason });
      if (phase === "referee") round.dispute = { ...PLACE, seats: [], opened: digest };
      else chain.disputes.set(9n, PLACE);
      chain.tick({ rounds: [9n] });
    },
  };
}

function accused({ events }: Provider): readonly ProviderEvent[] {
  return events.filter(({ kind }) => kind === "accused");
}

describe("a provider that a vote went against", () => {
  it.each([
    ["rejected", 3],
    ["rejected", 4],
    ["referee", 0],
  ] as const)(
    "calls the referee when the round is %s for reason %d and its tile is right, once",
    async (phase, reason) => {
      const { chain, provider, decide } = await judged(20 + reason);
      decide(phase, reason);
      await until(() => chain.actions("judge").length > 0, chain);
      expect(accused(provider)).toEqual([{ kind: "accused", job: 5n, ...PLACE, isRight: true }]);
      expect(chain.actions("challenge")).toEqual([{ kind: "challenge", round: 9n, ...PLACE }]);
      expect(chain.actions("stage").flatMap(({ chunks }) => chunks).length).toBeGreaterThan(0);
      for (let blocks = 0; blocks < 5; blocks++) {
        chain.tick({ rounds: [9n] });
        await sleep(30);
      }
      expect([chain.actions("challenge").length, chain.actions("judge").length]).toEqual([1, 1]);
    },
  );

  it("does not when the reference says so too, and tells its operator", async () => {
    const { chain, provider, decide } = await judged(30);
    decide("rejected", 3, WRONG);
    await until(() => accused(provider).length > 0, chain);
    await sleep(50);
    expect(accused(provider)).toEqual([{ kind: "accused", job: 5n, ...PLACE, isRight: false }]);
    expect(chain.actions("challenge")).toEqual([]);
  });

  it("does not when its operator wants no challenges, nor against what no vote has decided", async () => {
    const quiet = await judged(31, { ...USUAL_POLICY, defends: false });
    quiet.decide("rejected", 3);
    // Not opened in time.
    const late = await judged(32);
    late.decide("rejected", 5);
    await sleep(200);
    for (const { chain, provider } of [quiet, late]) {
      expect([accused(provider), chain.actions("challenge")]).toEqual([[], []]);
    }
  });
});

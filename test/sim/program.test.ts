import { describe, expect, it } from "vitest";
import { expectHeld } from "./expect-held.ts";
import { runProgram } from "./program.ts";
import { makeScenario } from "./scenario.ts";
import { simulatedKeys } from "./sim-crypto.ts";
import { simulate } from "./simulation.ts";

interface Run {
  readonly code: number;
  readonly printed: readonly string[];
  readonly notes: readonly string[];
}

async function run(line: string, simulation = simulate): Promise<Run> {
  const printed: string[] = [];
  const notes: string[] = [];
  const code = await runProgram(line.split(" "), {
    print: (text) => printed.push(text),
    note: (text) => notes.push(text),
    simulate: simulation,
  });
  return { code, printed, notes };
}

const SMALL = "--app counter --seed 5 --validators 4 --minutes 0.3 --faults crash-all";
const BUG = "--bug lose-notarized-bodies";

describe("npm run sim", () => {
  it("tells that a seed held, and ends with 0", async () => {
    const { code, printed } = await run(SMALL);
    expect(printed).toEqual([expect.stringMatching(/^seed 5 \(counter\): held, .* 4 validators, \d+ blocks/)]);
    expect(code).toBe(0);
  });

  it("tells what a planted bug broke and the command that shows it again, and ends with 1", async () => {
    const { code, printed } = await run(`${SMALL} ${BUG}`);
    expect(printed[0]).toMatch(/^seed 5 \(counter\): FAILED/);
    expect(printed).toContainEqual(expect.stringMatching(/^ {2}at .* s: persist-before-send: /));
    expect(printed.at(-1)).toBe(`  replay: npm run sim -- ${SMALL} ${BUG}`);
    expect(code).toBe(1);
  });

  it.each([
    "--app counter --seed 8 --minutes 0.3",
    "--app ledger --seed 3 --minutes 0.2 --actor double-voter",
    "--app counter --seed 2 --minutes 0.3 --validators 5 --wide-area --faults byzantine,wipe",
  ])("replays exactly what was drawn from a seed (%s)", async (line) => {
    const read = ({ printed }: Run): { readonly traceHash: string; readonly replay: string } => {
      const { traceHash, replay } = JSON.parse(printed[0] ?? "");
      return { traceHash, replay };
    };
    const first = read(await run(`${line} --json`));
    expect(read(await run(`${first.replay.replace("npm run sim -- ", "")} --json`))).toEqual(first);
  });

  it.each(["--seeds 3", "--seeds 3 --nightly"])("goes on after a seed that throws (%s)", async (seeds) => {
    const { code, printed } = await run(`${SMALL} ${seeds}`, async (scenario, options) => {
      if (scenario.seed === "6") throw new Error("no such luck");
      return await simulate(scenario, options);
    });
    expect(printed).toContainEqual(expect.stringContaining("thrown: Error: no such luck"));
    expect(printed).toContain(`  replay: npm run sim -- ${SMALL.replace("--seed 5", "--seed 6")}`);
    expect(printed.at(-1)).toBe("2 seeds held, 1 failed");
    expect(code).toBe(1);
  });

  it.each([
    ["--validators 4.5", "--validators is a whole number of at least 4"],
    ["--seed 1.5", "--seed is a whole number of at least 0"],
    ["--seed=", "--seed is a whole number of at least 0"],
    ["--seeds 2.5", "--seeds is a whole number of at least 1"],
    ["--minutes 0.1", "--minutes is a number of at least 0.2"],
    ["--faults rain", "--faults: rain is none of loss,"],
    ["--app none", "--app is one of ledger, counter"],
    ["--bug lose-notarized-bodies", "--bug needs --app counter"],
    ["--nonsense", "Unknown option '--nonsense'"],
  ])("called with %s, says what is wrong, and ends with 2", async (line, message) => {
    const { code, printed, notes } = await run(line);
    expect(notes).toEqual([expect.stringContaining(`error: ${message}`)]);
    expect(printed).toEqual([]);
    expect(code).toBe(2);
  });
});

describe("a simulation", () => {
  const scenario = makeScenario({ seed: "5", validators: 4, minutes: 0.3, faults: [] });

  it("that fails in a test says how to run it again", async () => {
    const crashing = makeScenario({ seed: "5", validators: 4, minutes: 0.3, faults: ["crash-all"] });
    const held = expectHeld(crashing, { bugs: new Set(["lose-notarized-bodies"]) });
    await expect(held).rejects.toThrow(`npm run sim -- ${SMALL} ${BUG}`);
  });

  it("reports a node whose program fails, and goes on", async () => {
    const keys = simulatedKeys();
    let signatures = 0;
    const { violations, heights } = await simulate(scenario, {
      keys: {
        ...keys,
        signer: (name) => {
          const signer = keys.signer(name);
          if (name !== "validator 2") return signer;
          const sign: typeof signer.sign = (message) => {
            if (++signatures === 5) throw new Error("the key is gone");
            return signer.sign(message);
          };
          return { ...signer, sign };
        },
      },
    });
    expect(violations).toContainEqual(expect.stringContaining("alarm: node 2 failed: Error: the key is gone"));
    expect(Math.max(...heights)).toBeGreaterThan(5);
  });

  it("reports what is thrown outside of all nodes", async () => {
    const { violations } = await simulate(scenario, {
      onTrace: (line) => {
        if (line.endsWith("heal")) throw new Error("cannot be written");
      },
    });
    expect(violations).toEqual([expect.stringContaining("thrown: Error: cannot be written")]);
  });

  it("in which no block is made checks nothing, and says so", async () => {
    const { violations } = await simulate({ ...scenario, minutes: 0.1 });
    expect(violations).toEqual([expect.stringContaining("no block was made, so nothing was checked")]);
  });
});

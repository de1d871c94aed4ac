/** The referee: every validator computes one disputed thread block from chunks that were proven, and that decides. */
import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { CHUNK_FLAW } from "../../../compute/program/staged-chunks.ts";
import { ENGINE_VERSION, type Program } from "../../../compute/program/types.ts";
import { hasBlob } from "../../../vm/modules/blob.ts";
import type { ChunkInput } from "../../../vm/modules/verification/referee-input.ts";
import { GUILTY, PHASE, REASON } from "../../../vm/modules/verification/round-types.ts";
import { gemmProgram, onBuffer } from "../../compute/support/sample-programs.ts";
import { accountKey } from "../support/economy-chain.ts";
import { floats, honest, inputs, program, SIZE } from "./support/product-chain.ts";
import { CHALLENGER, cut, NO_ORIGIN, RefereeCase, VERIFICATION, withFuel } from "./support/referee-case.ts";

const own = { key: CHALLENGER };
const VERDICT = { failed: 0, right: 1, wrong: 2, traps: 3 } as const;
/** A byte of d in tile 3, which has rows 16 to 31 and columns 16 to 31. */
const LIE = { launch: 1, buffer: 3, byte: 20 * 4 * SIZE + 80 };

describe("the referee's verdict", () => {
  it("is that an honest worker is right, tile by tile, and the challenger pays", () => {
    const world = new RefereeCase(honest);
    const before = world.chain.balance(CHALLENGER.address);
    for (const [launch, tile] of [
      [0, 0],
      [1, 3],
    ] as const) {
      expect(world.run(launch, tile)).toBe(VERDICT.right);
    }
    expect(before - world.chain.balance(CHALLENGER.address)).toBe(2n * world.bond);
    const { phase, isFinal } = world.chain.view(VERIFICATION, "roundOf", [world.round]);
    expect([phase, isFinal]).toEqual([PHASE.accepted, false]);
  });

  it("is that a worker with one wrong bit in the tile is wrong, and the challenger gets its bond back", () => {
    const world = new RefereeCase({ ...honest, lie: LIE });
    const before = world.chain.balance(CHALLENGER.address);
    expect(world.run(1, 3)).toBe(VERDICT.wrong);
    expect(world.chain.balance(CHALLENGER.address)).toBe(before);
    const { phase, guilty, reason } = world.chain.view(VERIFICATION, "roundOf", [world.round]);
    expect([phase, guilty, reason]).toEqual([PHASE.rejected, GUILTY.worker, REASON.refereeFalse]);
  });

  it("is about the tile alone: its neighbours are right", () => {
    const world = new RefereeCase({ ...honest, lie: LIE });
    expect(world.run(1, 2)).toBe(VERDICT.right);
  });

  it("holds a launch to what was committed before it, true or not", () => {
    // The lie is in what launch 1 reads: computed from the true c, its d does not follow from the committed one.
    const lie = { launch: 0, buffer: 2, byte: 0 };
    expect(new RefereeCase({ ...honest, lie }).run(0, 0)).toBe(VERDICT.wrong);
    expect(new RefereeCase({ ...honest, lie }).run(1, 0)).toBe(VERDICT.wrong);
  });

  it("is the same from a checkpoint", () => {
    const second = { ...honest, segments: 2, segment: 1 };
    expect(new RefereeCase(second).run(1, 3)).toBe(VERDICT.right);
    expect(new RefereeCase({ ...second, lie: LIE }).run(1, 3)).toBe(VERDICT.wrong);
  });

  it("is that the program traps where the worker has committed a result, and right where it said so", () => {
    const poor = { inputs, program: withFuel(program, 1_000) };
    const world = new RefereeCase(poor);
    expect(world.run(1, 1)).toBe(VERDICT.traps);
    const { phase, guilty } = world.chain.view(VERIFICATION, "roundOf", [world.round]);
    expect([phase, guilty]).toEqual([PHASE.rejected, GUILTY.program]);
    expect(new RefereeCase({ ...poor, trapAt: 0 }).run(0, 0)).toBe(VERDICT.right);
    // A trap that was made up.
    expect(new RefereeCase({ ...honest, trapAt: 1 }).run(1, 0)).toBe(VERDICT.wrong);
  });

  it("is the same whatever a node has in memory", () => {
    // Nobody has looked at this program before; then everybody has.
    const fresh = {
      ...honest,
      program: { ...program, buffers: program.buffers.map((one) => ({ ...one, name: `${one.name}2` })) },
    };
    const renamed = new Map([...inputs].map(([name, bytes]) => [`${name}2`, bytes]));
    const [first, second] = [1, 2].map(() => {
      const world = new RefereeCase({ ...fresh, inputs: renamed, lie: LIE });
      const verdict = world.run(1, 3);
      return { verdict, root: bytesToHex(world.chain.state.head.root) };
    });
    expect(first).toEqual(second);
    expect(first?.verdict).toBe(VERDICT.wrong);
  });
});

describe("a challenge fails", () => {
  it("when a chunk that the tile reads is missing, whichever it is, and not for others", () => {
    const all = new RefereeCase(honest).trace.inputsOf(1);
    // Tile 3 reads rows 16 to 31 of c, which are in tiles 2 and 3 of it, and all of b.
    const isNeeded = ({ buffer, origin }: ChunkInput): boolean => buffer === 1 || (buffer === 2 && origin.tile >= 2);
    expect(all.filter(isNeeded).length).toBe(6);
    expect(new RefereeCase(honest).run(1, 3, all.filter(isNeeded))).toBe(VERDICT.right);
    for (const missing of all.filter(isNeeded)) {
      const rest = all.filter((chunk) => chunk !== missing);
      expect(new RefereeCase(honest).run(1, 3, rest)).toBe(VERDICT.failed);
    }
  });

  it("when nobody shows what the worker committed, at the end of its time", () => {
    const world = new RefereeCase(honest);
    world.challenge(1, 3);
    world.stage(1, 3, world.trace.inputsOf(1));
    expect(world.chain.revertOf(VERIFICATION, "judge", [world.round, 1, 3], { key: CHALLENGER }).name).toBe(
      "NotOpened",
    );
    const { by } = world.chain.view(VERIFICATION, "challengeOf", [world.round, 1, 3, CHALLENGER.address]);
    expect(world.verdict(Number(by - world.chain.now)).verdict).toBe(VERDICT.failed);
    expect(world.chain.revertOf(VERIFICATION, "challengeOf", [world.round, 1, 3, CHALLENGER.address]).name).toBe(
      "NoChallenge",
    );
  });

  it("and can be made again", () => {
    const world = new RefereeCase({ ...honest, lie: LIE });
    expect(world.run(1, 3, [])).toBe(VERDICT.failed);
    expect(world.run(1, 3)).toBe(VERDICT.wrong);
  });

  it("or is judged at the end of its time with what is staged, by its challenger alone", () => {
    const world = new RefereeCase({ ...honest, lie: LIE });
    world.challenge(1, 3);
    world.open(1, 3);
    world.stage(1, 3, world.trace.inputsOf(1));
    for (const name of ["judge", "stage"] as const) {
      const args = [world.round, 1, 3, ...(name === "stage" ? [[]] : [])] as never;
      expect(world.chain.revertOf(VERIFICATION, name, args, { key: accountKey(9) }).name).toBe("NoChallenge");
    }
    const { by, stages } = world.chain.view(VERIFICATION, "challengeOf", [world.round, 1, 3, CHALLENGER.address]);
    expect(stages).toBe(1);
    expect(world.verdict(Number(by - world.chain.now)).verdict).toBe(VERDICT.wrong);
  });
});

describe("staging", () => {
  const world = new RefereeCase(honest);
  world.challenge(1, 3);
  const chunks = world.trace.inputsOf(1);
  const ofB = chunks.find(({ buffer }) => buffer === 1) as ChunkInput;
  const ofC = chunks.find(({ buffer }) => buffer === 2) as ChunkInput;
  const flip = (hex: Hex): Hex => `0x${(hex.startsWith("0x00") ? "01" : "00") + hex.slice(4)}` as Hex;
  const flawOf = (chunk: ChunkInput): readonly unknown[] => {
    const { name, args } = world.chain.revertOf(VERIFICATION, "stage", [world.round, 1, 3, [ofB, chunk]], own);
    return [name, ...args];
  };

  const cases: readonly (readonly [string, () => ChunkInput, number])[] = [
    ["another byte", () => ({ ...ofB, contents: flip(ofB.contents) }), CHUNK_FLAW.chunk],
    ["a byte less", () => ({ ...ofB, contents: ofB.contents.slice(0, -2) as Hex }), CHUNK_FLAW.chunk],
    [
      "a proof that is cut off",
      () => ({ ...ofB, proof: { ...ofB.proof, siblings: ofB.proof.siblings.slice(1) } }),
      CHUNK_FLAW.chunk,
    ],
    ["another place", () => ({ ...ofB, proof: { ...ofB.proof, index: 1 } }), CHUNK_FLAW.chunk],
    ["another length", () => ({ ...ofB, proof: { ...ofB.proof, count: 4095 } }), CHUNK_FLAW.chunk],
    [
      "a chunk of another input",
      () => ({ ...(cut(0, inputs.get("a") as Uint8Array, NO_ORIGIN)[0] as ChunkInput), buffer: 1 }),
      CHUNK_FLAW.chunk,
    ],
    ["a buffer that the tile does not read", () => ({ ...ofB, buffer: 0 }), CHUNK_FLAW.buffer],
    ["a buffer that is none", () => ({ ...ofB, buffer: 99 }), CHUNK_FLAW.buffer],
    ["the start of what was written since", () => ({ ...ofB, buffer: 2 }), CHUNK_FLAW.origin],
    ["an origin of no kind", () => ({ ...ofC, origin: { ...ofC.origin, kind: 3 } }), 0],
    [
      "a checkpoint where there is none",
      () => ({ ...ofC, origin: { ...ofC.origin, kind: 2, outcome: { ...ofC.origin.outcome } } }),
      CHUNK_FLAW.origin,
    ],
    ["another launch", () => ({ ...ofC, origin: { ...ofC.origin, launch: 1 } }), CHUNK_FLAW.version],
    [
      "a version that was not committed",
      () => {
        const versions = ofC.origin.outcome.versions.map(({ buffer, root }) => ({ buffer, root: flip(root) }));
        return { ...ofC, origin: { ...ofC.origin, outcome: { ...ofC.origin.outcome, versions } } };
      },
      CHUNK_FLAW.version,
    ],
    [
      "a wrong salt",
      () => ({
        ...ofC,
        origin: { ...ofC.origin, opening: { ...ofC.origin.opening, salt: flip(ofC.origin.opening.salt) } },
      }),
      CHUNK_FLAW.tile,
    ],
    ["a tile in another's place", () => ({ ...ofC, origin: { ...ofC.origin, tile: 1 } }), CHUNK_FLAW.tile],
    ["a tile that is none", () => ({ ...ofC, origin: { ...ofC.origin, tile: 4 } }), CHUNK_FLAW.tile],
  ];

  it.each(cases)("refuses %s", (_name, make, flaw) => {
    expect(flawOf(make())).toEqual(["BadChunk", 1n, flaw]);
  });

  it("takes a chunk twice, and it counts once", () => {
    world.stage(1, 3, [...chunks, ...chunks.slice(0, 3)]);
    world.open(1, 3);
    expect(world.judge(1, 3).verdict).toBe(VERDICT.right);
  });

  it("leaves nothing in the state when it is judged", () => {
    const other = new RefereeCase(honest);
    const isStaged = (): boolean => hasBlob(other.chain.reading(VERIFICATION.address), "stage", 1n, 0);
    other.challenge(1, 3);
    other.open(1, 3);
    other.stage(1, 3, chunks);
    expect(isStaged()).toBe(true);
    other.judge(1, 3);
    expect(isStaged()).toBe(false);
    expect(other.chain.revertOf(VERIFICATION, "stage", [other.round, 1, 3, [ofB]]).name).toBe("NoChallenge");
  });

  it("takes no more in one call than code may have", () => {
    const other = new RefereeCase(honest);
    other.challenge(1, 3);
    const many = Array.from({ length: 24 }, () => ofB);
    expect(other.chain.revertOf(VERIFICATION, "stage", [other.round, 1, 3, many], own).name).toBe("TooMany");
  });
});

describe("a challenge", () => {
  it("takes its bond, a tile of the round that the referee can compute, and no second one", () => {
    const world = new RefereeCase(honest);
    const attempt = (launch: number, tile: number, value = world.bond): string =>
      world.chain.revertOf(VERIFICATION, "challenge", [world.round, launch, tile], { key: CHALLENGER, value }).name;
    expect(attempt(1, 3, world.bond - 1n)).toBe("WrongBond");
    expect(attempt(1, 3, world.bond + 1n)).toBe("WrongBond");
    expect(attempt(1, 4)).toBe("NotRefereeable");
    expect(attempt(2, 0)).toBe("NotRefereeable");
    world.challenge(1, 3);
    expect(attempt(1, 3)).toBe("AlreadyChallenged");
    const large = new RefereeCase({ ...honest, program: withFuel(program, 2 ** 28) });
    const options = { key: CHALLENGER, value: large.bond };
    expect(large.chain.revertOf(VERIFICATION, "challenge", [large.round, 1, 3], options).name).toBe("NotRefereeable");
    const second = new RefereeCase({ ...honest, segments: 2, segment: 1 });
    expect(
      second.chain.revertOf(VERIFICATION, "challenge", [second.round, 0, 0], { ...options, value: second.bond }).name,
    ).toBe("NotRefereeable");
  });

  it("keeps nobody else from the tile, whether it fails or not", () => {
    const world = new RefereeCase({ ...honest, lie: LIE });
    const other = { key: accountKey(9), value: world.bond };
    world.chain.send(VERIFICATION, "challenge", [world.round, 1, 3], other);
    expect(world.run(1, 3)).toBe(VERDICT.wrong);
    const { by } = world.chain.view(VERIFICATION, "challengeOf", [world.round, 1, 3, accountKey(9).address]);
    expect(world.verdict(Number(by - world.chain.now)).verdict).toBe(VERDICT.failed);
    expect(world.chain.view(VERIFICATION, "roundOf", [world.round]).guilty).toBe(GUILTY.worker);
  });

  it("costs twice as much for every four that wait, so that taking all places costs more than it can hide", () => {
    const world = new RefereeCase({ ...honest, lie: LIE });
    const bondNow = (): bigint => world.chain.view(VERIFICATION, "challengeBond", [world.round]);
    const bonds = Array.from({ length: 8 }, (_, place) => {
      const value = bondNow();
      const args = [world.round, Math.floor(place / 4), place % 4] as const;
      world.chain.send(VERIFICATION, "challenge", args, { key: accountKey(9), value });
      return value / world.bond;
    });
    expect(bonds).toEqual([1n, 1n, 1n, 1n, 2n, 2n, 2n, 2n]);
    const cheap = { key: CHALLENGER, value: world.bond };
    expect(world.chain.revertOf(VERIFICATION, "challenge", [world.round, 1, 3], cheap)).toMatchObject({
      name: "WrongBond",
      args: [4n * world.bond],
    });
    const before = world.chain.balance(CHALLENGER.address);
    world.chain.send(VERIFICATION, "challenge", [world.round, 1, 3], { key: CHALLENGER, value: bondNow() });
    expect(before - world.chain.balance(CHALLENGER.address)).toBe(4n * world.bond);
    world.chain.pass(4000);
    expect(bondNow()).toBe(world.bond);
  });

  it("is refused when the round's time is over", () => {
    const world = new RefereeCase(honest);
    world.chain.pass(4000);
    const options = { key: CHALLENGER, value: world.bond };
    expect(world.chain.revertOf(VERIFICATION, "challenge", [world.round, 1, 3], options).name).toBe("WrongPhase");
  });

  it("shows what the worker committed by an opening that holds", () => {
    const world = new RefereeCase(honest);
    world.challenge(1, 3);
    const right = world.trace.opening(1, 3);
    const wrong = { ...right, tiles: right.tiles.map((tile) => ({ ...tile, salt: tile.contents })) };
    expect(world.chain.revertOf(VERIFICATION, "openChallenged", [world.round, 1, 3, wrong], own).name).toBe(
      "BadOpening",
    );
    const other = world.trace.opening(1, 2);
    expect(world.chain.revertOf(VERIFICATION, "openChallenged", [world.round, 1, 3, other], own).name).toBe(
      "BadOpening",
    );
  });
});

it("a program of one launch is judged as well", () => {
  const small = gemmProgram(20, 20, 8);
  const given = new Map([
    ["a", floats(160, "x")],
    ["b", floats(160, "y")],
  ]);
  expect(new RefereeCase({ program: small, inputs: given }).run(0, 3)).toBe(VERDICT.right);
});

it("a tile that takes far longer to check than it pays for is not judged", () => {
  // Each turn loads 16 bytes of shared memory: 20 units of checking for 6 of fuel.
  const ptx = `.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %i, %s;
.reg .b64 %a, %x, %y;
.reg .pred %p;
.shared .align 16 .b8 m[64];
ld.param.u64 %a, [out];
cvta.to.global.u64 %a, %a;
mov.u32 %s, m;
mov.u32 %i, 0;
L:
ld.shared.v2.u64 {%x, %y}, [%s];
add.u32 %i, %i, 1;
setp.lt.u32 %p, %i, 100000;
@%p bra L;
st.global.u64 [%a], %x;
ret;
}`;
  const idle: Program = {
    ...{ engine: ENGINE_VERSION, kernels: [{ ptx, entry: "k" }], outputs: [0] },
    buffers: [{ name: "out", kind: "zero", bytes: 8 }],
    steps: [
      {
        ...{
          kind: "launch",
          kernel: 0,
          grid: [1, 1, 1],
          block: [1, 1, 1],
          dynamicShared: 0,
          fuel: 800_000,
          bytes: 1024,
        },
        arguments: [onBuffer(0)],
        tiles: [{ parameter: 0, tile: { kind: "run", bytes: 8 } }],
      },
    ],
  };
  const world = new RefereeCase({ program: idle, inputs: new Map() });
  expect(world.run(0, 0)).toBe(VERDICT.failed);
  const { phase } = world.chain.view(VERIFICATION, "roundOf", [world.round]);
  expect(phase).toBe(PHASE.accepted);
});

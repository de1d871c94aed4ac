/** Programs on the chain: published in parts, checked in full, and the same for everybody ever after. */
import { beforeAll, describe, expect, it } from "vitest";
import { bytesToHex, type Hex, utf8 } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { nBodyProgram } from "../../../compute/examples/n-body.ts";
import { encodeProgram } from "../../../compute/program/codec.ts";
import { contentAddress } from "../../../compute/program/merkle.ts";
import { scheduleOf } from "../../../compute/program/schedule.ts";
import type { Program } from "../../../compute/program/types.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";
import { programsAbi } from "../../../vm/interfaces/abi/programs.ts";
import { PROGRAMS_ADDRESS } from "../../../vm/modules/addresses.ts";
import type { ModuleCall } from "../../../vm/modules/module-call.ts";
import { ContentCache } from "../../../vm/modules/programs/content-cache.ts";
import { loadProgram, programPlan, programSummary } from "../../../vm/modules/programs/program-store.ts";
import { gemmProgram } from "../../compute/support/sample-programs.ts";
import { accountKey, EconomyChain } from "../support/economy-chain.ts";

const PROGRAMS = { address: PROGRAMS_ADDRESS, abi: programsAbi } as const;
const PIECE = 24_000;

function addressOf(program: Program): Hex {
  return bytesToHex(contentAddress(encodeProgram(program)));
}

function hashOf(bytes: Uint8Array): Hex {
  return bytesToHex(keccak256(bytes));
}

describe("a program", () => {
  const program = gemmProgram(64, 48, 32);
  let chain: EconomyChain;

  beforeAll(() => {
    chain = new EconomyChain();
    chain.send(PROGRAMS, "publish", [bytesToHex(encodeProgram(program))], { key: accountKey(3) });
  });

  it("is known by the content address of its encoding, with what there is to know of it", () => {
    const address = addressOf(program);
    expect(chain.view(PROGRAMS, "isPublished", [address])).toBe(true);
    expect(chain.view(PROGRAMS, "encodingOf", [address])).toBe(bytesToHex(encodeProgram(program)));
    const { publisher, ...summary } = chain.view(PROGRAMS, "summaryOf", [address]);
    expect(publisher.toLowerCase()).toBe(accountKey(3).address);
    expect(summary).toEqual({
      length: BigInt(encodeProgram(program).length),
      launches: 1n,
      fuel: 12n * 1_000_000n,
      refereeable: true,
      inputs: [4n * 64n * 32n, 4n * 32n * 48n],
      outputs: [4n * 64n * 48n],
    });
  });

  it("is there once", () => {
    const again = chain.revertOf(PROGRAMS, "publish", [bytesToHex(encodeProgram(program))]);
    expect(again).toEqual({ name: "AlreadyPublished", args: [addressOf(program)] });
  });

  it("comes back with its kernels, or as a plan without them, for the same gas however often", () => {
    const gasOf = (read: (call: ModuleCall) => unknown): bigint => {
      const call = chain.reading(PROGRAMS_ADDRESS);
      read(call);
      return call.gasUsed;
    };
    const address = addressOf(program);
    const call = chain.reading(PROGRAMS_ADDRESS);
    expect(loadProgram(call, address)?.program).toEqual(program);
    expect(loadProgram(call, address)?.kernels.length).toBe(1);
    expect(programPlan(call, address)).toEqual({ ...program, kernels: [{ ptx: "", entry: "gemm" }] });
    // Two that nobody has looked at yet, so that the first time is not from memory.
    for (const fresh of [gemmProgram(32, 32, 8), gemmProgram(32, 16, 8)]) {
      const { result } = chain.send(PROGRAMS, "publish", [bytesToHex(encodeProgram(fresh))]);
      const read = fresh.buffers[2]?.bytes === 4096 ? loadProgram : programPlan;
      const first = gasOf((reading) => read(reading, result));
      expect(gasOf((reading) => read(reading, result))).toBe(first);
    }
  });

  it("that nobody published is nobody's", () => {
    const none: Hex = `0x${"12".repeat(32)}`;
    const call = chain.reading(PROGRAMS_ADDRESS);
    expect(programSummary(call, none)).toBeUndefined();
    expect(programPlan(call, none)).toBeUndefined();
    expect(loadProgram(call, none)).toBeUndefined();
    expect(chain.view(PROGRAMS, "isPublished", [none])).toBe(false);
    expect(chain.revertOf(PROGRAMS, "summaryOf", [none])).toEqual({ name: "UnknownProgram", args: [none] });
    expect(chain.revertOf(PROGRAMS, "piecesOf", [none])).toEqual({ name: "UnknownProgram", args: [none] });
  });
});

describe("a program in pieces", () => {
  const program = nBodyProgram({ bodies: 256, steps: 100, dt: 0.01, softening: 0.1 });
  const padded: Program = {
    ...program,
    kernels: [
      ...program.kernels,
      { ptx: `// ${"x".repeat(50_000)}\n${program.kernels[0]?.ptx}`, entry: program.kernels[0]?.entry ?? "" },
    ],
  };
  const encoding = encodeProgram(padded);
  const parts = Array.from({ length: Math.ceil(encoding.length / PIECE) }, (_, i) =>
    encoding.subarray(i * PIECE, (i + 1) * PIECE),
  );

  it("may be stored in any order and by anybody, and is the same as in one", () => {
    const chain = new EconomyChain();
    const hashes = parts.map(hashOf);
    expect(parts.length).toBeGreaterThan(2);
    parts.toReversed().forEach((part, i) => {
      const { result } = chain.send(PROGRAMS, "storePiece", [bytesToHex(part)], { key: accountKey(i) });
      expect(result).toBe(hashOf(part));
    });
    const missing = chain.revertOf(PROGRAMS, "publishPieces", [[hashOf(utf8("never stored")), ...hashes]]);
    expect(missing.name).toBe("UnknownPiece");
    const { result } = chain.send(PROGRAMS, "publishPieces", [hashes], { key: accountKey(9) });
    expect(result).toBe(bytesToHex(contentAddress(encoding)));
    expect(chain.view(PROGRAMS, "piecesOf", [result])).toEqual(hashes);
    expect(chain.view(PROGRAMS, "encodingOf", [result])).toBe(bytesToHex(encoding));
    expect(chain.view(PROGRAMS, "summaryOf", [result]).launches).toBe(BigInt([...scheduleOf(padded)].length));
    expect(chain.view(PROGRAMS, "summaryOf", [result]).fuel).toBe(checkProgram(padded).fuel);
  });

  it("pays for a piece once", () => {
    const chain = new EconomyChain();
    const [part] = parts;
    const data = bytesToHex(part as Uint8Array);
    const first = chain.send(PROGRAMS, "storePiece", [data]).receipt.gasUsed;
    expect(first).toBeGreaterThan(200n * BigInt(PIECE));
    const second = chain.send(PROGRAMS, "storePiece", [data]);
    expect(second.receipt.gasUsed).toBeLessThan(first / 3n);
    expect(second.receipt.logs).toEqual([]);
    expect(chain.view(PROGRAMS, "pieceData", [hashOf(part as Uint8Array)])).toBe(data);
  });

  it("has pieces of 1 to 24,000 bytes", () => {
    const chain = new EconomyChain();
    expect(chain.revertOf(PROGRAMS, "storePiece", ["0x"]).name).toBe("InvalidPiece");
    const long = bytesToHex(new Uint8Array(PIECE + 1));
    expect(chain.revertOf(PROGRAMS, "storePiece", [long])).toEqual({ name: "InvalidPiece", args: [24_001n, 24_000n] });
  });
});

describe("what is no program", () => {
  const good = gemmProgram(16, 16, 16);
  const launch = good.steps[0] as Extract<Program["steps"][number], { kind: "launch" }>;
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    ["bytes", utf8("not a program"), "PROGRAM_ENCODING"],
    ["one that launches nothing", encodeProgram({ ...good, steps: [] }), "PROGRAM_LIMIT"],
    ["one of another engine", encodeProgram({ ...good, engine: 2 }), "PROGRAM_REFERENCE"],
    [
      "one whose kernel is not PTX",
      encodeProgram({ ...good, kernels: [{ ptx: "hello", entry: "gemm" }] }),
      "PROGRAM_KERNEL",
    ],
    [
      "one without the tile of what it writes",
      encodeProgram({ ...good, steps: [{ ...launch, tiles: [] }] }),
      "PROGRAM_TILES",
    ],
    [
      "one with more launches than there can be",
      encodeProgram({
        ...good,
        steps: [{ kind: "loop", count: 2 ** 32, body: [{ kind: "loop", count: 2 ** 32, body: [launch] }] }],
      }),
      "PROGRAM_LIMIT",
    ],
  ];

  it.each(cases)("%s: is refused by name, and paid for", (_name, encoding, code) => {
    const chain = new EconomyChain();
    const before = chain.state.head.root;
    const { name, args } = chain.revertOf(PROGRAMS, "publish", [bytesToHex(encoding)]);
    expect([name, args[0]]).toEqual(["InvalidProgram", code]);
    expect(chain.state.head.root).not.toEqual(before);
    expect(chain.view(PROGRAMS, "isPublished", [bytesToHex(contentAddress(encoding))])).toBe(false);
  });
});

describe("what is remembered of programs", () => {
  it("is bounded by number and by bytes, and made again when it was forgotten", () => {
    const cache = new ContentCache<number>(3, 100);
    const made: string[] = [];
    const get = (name: string, bytes: number): number =>
      cache.get(`0x${name}`, bytes, () => {
        made.push(name);
        return bytes;
      });
    for (const name of ["a", "b", "c", "a", "d"]) get(name, 10);
    expect(made).toEqual(["a", "b", "c", "d"]);
    expect(get("b", 10)).toBe(10);
    expect(made.at(-1)).toBe("b");
    get("large", 95);
    expect(cache.size).toBe(1);
    get("too large", 101);
    expect(cache.size).toBe(1);
    get("large", 95);
    expect(made.filter((name) => name === "large").length).toBe(1);
  });
});

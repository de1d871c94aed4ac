/**
 * What a worker commits, with real commitments: contents of every tile that the program writes, the trace over them, and the
 * openings. The contents are made up from where they are, for the chain never looks at them; a lie changes some.
 */
import { bytesToHex, concatBytes, type Hex, utf8 } from "../../../../base/bytes.ts";
import { sha256 } from "../../../../base/sha256.ts";
import {
  type BufferVersion,
  checkpointRoot,
  commitBuffer,
  type LaunchOutcome,
  launchLeaf,
  openTile,
  segmentRoot,
} from "../../../../compute/program/commitment.ts";
import { tileDigest } from "../../../../compute/program/digest.ts";
import { contentAddress, type MerkleProof, proveLeaf } from "../../../../compute/program/merkle.ts";
import { launchesIn, scheduleOf } from "../../../../compute/program/schedule.ts";
import { segmentRange } from "../../../../compute/program/segments.ts";
import { blockAt, readTile, tileBytes } from "../../../../compute/program/tiles.ts";
import type { Extent, Program, TileSpec } from "../../../../compute/program/types.ts";
import type { SeatOpeningInput } from "../../../../vm/modules/verification/opening.ts";
import type { SegmentCommitment } from "../../../../vm/modules/verification/round-types.ts";

interface Written {
  readonly buffer: number;
  readonly tile: TileSpec;
  readonly grid: Extent;
  readonly bytes: number;
}

export interface WorkOptions {
  /** `launch tile` of what is false. */
  readonly lies?: ReadonlySet<string>;
  readonly seed?: Uint8Array;
  readonly segment?: number;
  readonly segments?: number;
  readonly trap?: { readonly launch: number; readonly tile: number };
}

export const place = (launch: number, tile: number): string => `${launch} ${tile}`;

export class TracedWork {
  readonly commitment: SegmentCommitment;
  readonly seed: Uint8Array;
  readonly first: number;
  readonly end: number;
  readonly #program: Program;
  readonly #lies: ReadonlySet<string>;
  readonly #trap: WorkOptions["trap"];
  readonly #versions = new Map<number, readonly BufferVersion[]>();
  readonly #outcomes = new Map<number, LaunchOutcome>();
  readonly #written = new Map<number, readonly Written[]>();
  readonly #leaves: Uint8Array[] = [];

  constructor(program: Program, options: WorkOptions = {}) {
    const { lies = new Set(), segment = 0, segments = 1, trap } = options;
    this.#program = program;
    this.#lies = lies;
    this.#trap = trap;
    this.seed = options.seed ?? sha256(utf8("seed"));
    const range = segmentRange(launchesIn(program.steps), segments, segment);
    this.first = range.first;
    this.end = trap === undefined ? range.end : trap.launch + 1;
    for (const { index, launch, arguments: bound } of scheduleOf(program)) {
      if (index < this.first || index >= this.end) continue;
      const written = launch.tiles.map(({ parameter, tile }) => {
        const argument = bound[parameter];
        if (argument?.kind !== "buffer") throw new Error("what is written is a buffer");
        const bytes = program.buffers[argument.buffer]?.bytes ?? 0;
        return { buffer: argument.buffer, tile, grid: launch.grid, bytes };
      });
      this.#written.set(
        index,
        [...written].sort((a, b) => a.buffer - b.buffer),
      );
      this.#commitLaunch(index);
    }
    const root = checkpointRoot(program.buffers.map((_, buffer) => this.#lastVersion(buffer)));
    this.commitment = {
      segmentRoot: bytesToHex(segmentRoot(this.#leaves)),
      checkpointRoot: bytesToHex(root),
      outputs:
        segment === segments - 1 && trap === undefined ? program.outputs.map((_, i) => hashName(`output ${i}`)) : [],
      ...(trap && { trap }),
    };
  }

  #commitLaunch(launch: number): void {
    const outcome = this.#outcomeOf(launch);
    this.#outcomes.set(launch, outcome);
    this.#leaves.push(launchLeaf(launch, outcome));
  }

  #outcomeOf(launch: number): LaunchOutcome {
    if (this.#trap?.launch === launch) return { kind: "trap", tile: this.#trap.tile };
    const versions = (this.#written.get(launch) ?? []).map(({ buffer, tile, grid, bytes }) =>
      commitBuffer(this.#contents(launch, buffer, bytes, this.#lies), tile, grid, launch, buffer, this.seed),
    );
    this.#versions.set(launch, versions);
    return { kind: "done", versions: versions.map(({ buffer, root }) => ({ buffer, root })) };
  }

  #lastVersion(buffer: number): Uint8Array {
    const all = [...this.#versions.values()].flat().filter((version) => version.buffer === buffer);
    return all.at(-1)?.root ?? contentAddress(utf8(`buffer ${buffer}`));
  }

  /** Bytes from a hash; a false tile has its first byte changed. */
  #contents(launch: number, buffer: number, bytes: number, lies: ReadonlySet<string>): Uint8Array {
    const contents = new Uint8Array(bytes);
    const word = sha256(concatBytes(utf8(`contents ${launch} ${buffer}`)));
    for (let at = 0; at < bytes; at++) contents[at] = (word[at % 32] as number) ^ (at >> 5);
    const written = this.#written.get(launch)?.find((each) => each.buffer === buffer);
    for (const lie of lies) {
      const [where, tile] = lie.split(" ").map(Number) as [number, number];
      if (where !== launch || written === undefined) continue;
      const { start } = tileBytes(written.tile, blockAt(tile, written.grid), written.grid, bytes);
      contents[start] = (contents[start] as number) ^ 1;
    }
    return contents;
  }

  /** What an honest seat finds. */
  truth(launch: number, tile: number): Hex {
    return this.#digest(launch, tile, new Set());
  }

  /** What the worker's opening gives. */
  claim(launch: number, tile: number): Hex {
    if (this.#trap?.launch === launch) return bytesToHex(tileDigest(launch, tile, { kind: "trap" }));
    return this.#digest(launch, tile, this.#lies);
  }

  #digest(launch: number, tile: number, lies: ReadonlySet<string>): Hex {
    const addresses = new Map(
      (this.#written.get(launch) ?? []).map((written) => {
        const contents = this.#contents(launch, written.buffer, written.bytes, lies);
        const bytes = tileBytes(written.tile, blockAt(tile, written.grid), written.grid, written.bytes);
        return [written.buffer, contentAddress(readTile(contents, bytes))] as const;
      }),
    );
    return bytesToHex(tileDigest(launch, tile, { kind: "done", addresses }));
  }

  open(seat: number, launch: number, tile: number): SeatOpeningInput {
    const outcome = this.#outcomes.get(launch);
    if (outcome === undefined) throw new Error("the launch is committed");
    const versions = this.#versions.get(launch) ?? [];
    return {
      seat,
      outcome: {
        trapped: outcome.kind === "trap",
        trapTile: outcome.kind === "trap" ? outcome.tile : 0,
        versions: versions.map(({ buffer, root }) => ({ buffer, root: bytesToHex(root) })),
      },
      proof: asInput(proveLeaf(this.#leaves, launch - this.first)),
      tiles: versions.map((version) => {
        const { address, salt, proof } = openTile(version, tile, this.seed);
        const { buffer } = version;
        return { buffer, contents: bytesToHex(address), salt: bytesToHex(salt), proof: asInput(proof) };
      }),
    };
  }

  get program(): Program {
    return this.#program;
  }
}

function asInput({ index, count, siblings }: MerkleProof): SeatOpeningInput["proof"] {
  return { index, count, siblings: siblings.map(bytesToHex) };
}

function hashName(name: string): Hex {
  return bytesToHex(sha256(utf8(name)));
}

import { type Abi, decodeFunctionData } from "viem";
import { expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { callOf, useOf } from "../../../cli/agent/chain-calls.ts";
import type { ChainAction, SeatOpening, StagedChunk } from "../../../compute/agent/ports.ts";
import { ogpuModules } from "../../../rpc/client/modules.ts";

const ACCOUNT: Hex = `0x${"aa".repeat(20)}`;
const HASH: Hex = `0x${"11".repeat(32)}`;
const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(7);
const proof = { index: 1, count: 4, siblings: [bytes(32), bytes(32)] };
const opening = { address: bytes(32), salt: bytes(32), proof };
const commitment = { segmentRoot: HASH, checkpointRoot: HASH, outputs: [HASH] };
const written = { kind: "done", versions: [{ buffer: 2, root: bytes(32) }] } as const;
const seats: readonly SeatOpening[] = [
  { seat: 3, outcome: written, proof, tiles: [{ buffer: 2, opening }] },
  { seat: 4, outcome: { kind: "trap", tile: 5 }, proof, tiles: [] },
];
const chunks: readonly StagedChunk[] = [
  { buffer: 0, origin: { kind: "start" }, bytes: bytes(40), proof },
  { buffer: 1, origin: { kind: "checkpoint", root: bytes(32), proof, tile: 2, opening }, bytes: bytes(40), proof },
  {
    buffer: 2,
    origin: { kind: "tile", launch: 6, outcome: written, proof, tile: 2, opening },
    bytes: bytes(40),
    proof,
  },
];
const seals = [{ seat: 1, hash: HASH }];
const answers = [{ seat: 1, digest: HASH, nonce: HASH }];
const bid = { price: 5n, seconds: 6n, region: `0x${"65".repeat(16)}`, nonce: HASH } as const;

/** One of each kind, and what of it the chain gets first. */
const ACTIONS: {
  readonly [Kind in ChainAction["kind"]]: readonly [Extract<ChainAction, { kind: Kind }>, string, ...unknown[]];
} = {
  joinSource: [{ kind: "joinSource", source: 1n, device: 2n }, "joinSource", 1n, 2n],
  leaveSource: [{ kind: "leaveSource", source: 1n, device: 2n }, "leaveSource", 1n, 2n],
  commitSealed: [
    { kind: "commitSealed", job: 1n, attempt: 2n, commitment, nonce: HASH },
    ...(["commitSealed", 1n, 2n] as const),
  ],
  reveal: [{ kind: "reveal", job: 1n, commitment, nonce: HASH }, "reveal", 1n],
  commitSegment: [{ kind: "commitSegment", job: 1n, segment: 2, commitment }, "commitSegment", 1n, 2],
  bid: [{ kind: "bid", job: 1n, attempt: 2n, ...bid }, "bid", 1n, 2n],
  revealBid: [{ kind: "revealBid", job: 1n, ...bid }, "revealBid", 1n, 5n, 6n, bid.region, HASH],
  publishSeed: [{ kind: "publishSeed", round: 1n, seed: HASH }, "publishSeed", 1n, HASH],
  answerOutput: [{ kind: "answerOutput", job: 1n, output: 2, chunk: bytes(40), proof }, "answerOutput", 1n, 2, 1n],
  demandInput: [{ kind: "demandInput", job: 1n, input: 2, chunk: 3 }, "demandInput", 1n, 2, 3n],
  answerCheckpoint: [
    {
      ...{ kind: "answerCheckpoint", job: 1n, buffer: 2, tile: 3, chunk: bytes(40), proof },
      ...{ opening, root: bytes(32), version: proof },
    },
    ...(["answerCheckpoint", 1n, 2, (3n << 32n) | 1n] as const),
  ],
  open: [{ kind: "open", round: 1n, seats }, "open", 1n],
  seal: [{ kind: "seal", round: 1n, seats: seals }, "seal", 1n, seals],
  revealSeats: [{ kind: "revealSeats", round: 1n, seats: answers }, "reveal", 1n, answers],
  sealVotes: [{ kind: "sealVotes", round: 1n, seats: seals }, "sealVotes", 1n, seals],
  revealVotes: [{ kind: "revealVotes", round: 1n, seats: answers }, "revealVotes", 1n, answers],
  challenge: [{ kind: "challenge", round: 1n, launch: 2, tile: 3 }, "challenge", 1n, 2, 3],
  judge: [{ kind: "judge", round: 1n, launch: 2, tile: 3 }, "judge", 1n, 2, 3],
  stage: [{ kind: "stage", round: 1n, launch: 2, tile: 3, chunks }, "stage", 1n, 2, 3],
  challengeOutput: [
    {
      kind: "challengeOutput",
      round: 1n,
      output: 2,
      written: chunks[2] as StagedChunk,
      chunks: [{ bytes: bytes(40), proof }],
    },
    ...(["challengeOutput", 1n, 2] as const),
  ],
};

it.each(Object.entries(ACTIONS))("what an agent does fits the module's call: %s", (_, [action, name, ...first]) => {
  const use = useOf(action, ACCOUNT);
  const data = bytesToHex(callOf(use, 0n).data);
  const { functionName, args } = decodeFunctionData({ abi: ogpuModules[use.module].abi as Abi, data });
  expect([functionName, ...(args ?? []).slice(0, first.length)]).toEqual([name, ...first]);
});

import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import type { BlockHeader } from "../../../chain/blocks/header.ts";
import { hashHeader, isSealHeader } from "../../../chain/blocks/header.ts";
import { buildGenesisBlock } from "../../../chain/genesis-block.ts";
import {
  checkCheckpoint,
  type Footing,
  type FootingFacts,
  footingOf,
  type Vouched,
  Wakefulness,
} from "../../../chain/runtime/footing.ts";
import type { ChainHead } from "../../../chain/store/chain-store.ts";
import { singleSpec } from "./support/single-node.ts";

const PERIOD = 1_000_000;
const { header: genesis } = buildGenesisBlock(singleSpec());
const START = Number(genesis.timestamp) * 1000;

/** A block of that epoch, so many milliseconds after genesis. */
function block(epoch: number, after: number, isSeal = false): ChainHead {
  const header: BlockHeader = {
    ...genesis,
    number: BigInt(epoch * 10 + 5),
    timestamp: genesis.timestamp + BigInt(Math.floor(after / 1000)),
    extra: { ...genesis.extra, epoch, ...(isSeal && { nextValidatorSetHash: new Uint8Array(32).fill(7) }) },
  };
  expect(isSealHeader(header)).toBe(isSeal);
  return { number: Number(header.number), header, hash: hashHeader(header) };
}

const OTHER: Hex = `0x${"77".repeat(32)}`;

function footing(head: ChainHead, after: number, vouched: Vouched = {}, isValidator = false): Footing {
  const facts: FootingFacts = {
    head,
    now: START + after,
    trustingPeriod: PERIOD,
    vouched,
    isValidator,
    isAlone: false,
  };
  return footingOf(facts);
}

describe("a node that starts", () => {
  const head = block(3, 50_000);
  const expired = expect.objectContaining({ code: "SYNC_TRUST_EXPIRED" });

  it("goes on from a block within the trusting period, and from no older one", () => {
    expect(footing(head, 50_000 + PERIOD - 1)).toBe("firm");
    expect(() => footing(head, 50_000 + PERIOD)).toThrow(expired);
  });

  it("says what to do, with the block that it has", () => {
    const hint = expect.stringContaining(`--trust-block ${bytesToHex(head.hash)}`);
    expect(() => footing(head, 10 * PERIOD)).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ hint }) }),
    );
  });

  it("goes on from an old block that its operator vouches for, and from no other", () => {
    expect(footing(head, 10 * PERIOD, { block: bytesToHex(head.hash) })).toBe("firm");
    expect(() => footing(head, 10 * PERIOD, { block: OTHER })).toThrow(expired);
  });

  it("follows towards a checkpoint that is still to come, but signs nothing on the way", () => {
    expect(footing(head, 10 * PERIOD, { checkpoint: { epoch: 3, hash: OTHER } })).toBe("until-checkpoint");
    expect(() => footing(head, 10 * PERIOD, { checkpoint: { epoch: 3, hash: OTHER } }, true)).toThrow(expired);
  });

  it("learns nothing from a checkpoint that it has passed", () => {
    expect(() => footing(head, 10 * PERIOD, { checkpoint: { epoch: 2, hash: OTHER } })).toThrow(expired);
    expect(() => footing(block(3, 0, true), 10 * PERIOD, { checkpoint: { epoch: 3, hash: OTHER } })).toThrow(expired);
  });

  it("asks nothing where nobody else can sign", () => {
    const facts = { head, now: START + 10 * PERIOD, trustingPeriod: PERIOD, vouched: {} };
    expect(footingOf({ ...facts, isValidator: true, isAlone: true })).toBe("firm");
  });

  it("asks nothing where everybody has all keys", () => {
    expect(footing(head, 10 * PERIOD, { development: true })).toBe("firm");
  });
});

describe("a checkpoint", () => {
  const seal = block(4, 90_000, true);
  const checkpoint = { epoch: 4, hash: bytesToHex(seal.hash) };
  const facts = { now: START + 100_000, trustingPeriod: PERIOD, footing: "until-checkpoint" } as const;

  it("makes the chain one to rely on when it comes", () => {
    expect(checkCheckpoint(block(4, 80_000), checkpoint, facts)).toBe("until-checkpoint");
    expect(checkCheckpoint(seal, checkpoint, facts)).toBe("firm");
  });

  it("ends the node when another block comes in its place", () => {
    const code = "SYNC_CHECKPOINT_UNKNOWN";
    expect(() => checkCheckpoint(seal, { epoch: 4, hash: OTHER }, facts)).toThrow(expect.objectContaining({ code }));
  });

  it("that is too old itself vouches for nothing", () => {
    const late = { ...facts, now: START + 90_000 + PERIOD };
    expect(() => checkCheckpoint(seal, checkpoint, late)).toThrow(
      expect.objectContaining({ code: "SYNC_TRUST_EXPIRED" }),
    );
    expect(checkCheckpoint(seal, checkpoint, { ...late, footing: "firm" })).toBe("firm");
  });
});

describe("a node that runs", () => {
  const awakeUntil = (awake: Wakefulness, until: number): void => {
    expect([awake.isAwake(START + until), awake.isAwake(START + until + 1)]).toEqual([true, false]);
  };

  it("believes what comes for a trusting period from its last block, whenever it started", () => {
    const started = 50_000 + PERIOD / 2;
    const awake = new Wakefulness(PERIOD, START + started);
    awake.onBlock(block(3, 50_000), START + started);
    awakeUntil(awake, 50_000 + PERIOD);
    awake.onBlock(block(3, 60_000), START + started);
    awakeUntil(awake, 60_000 + PERIOD);
  });

  it("has a trusting period from its start to find a young block, where its operator has vouched for an old one", () => {
    const started = 10 * PERIOD;
    const awake = new Wakefulness(PERIOD, START + started);
    awake.onBlock(block(3, 50_000), START + started);
    awakeUntil(awake, started + PERIOD);
    awake.onBlock(block(4, started - PERIOD / 2), START + started);
    awakeUntil(awake, started + PERIOD / 2);
  });
});

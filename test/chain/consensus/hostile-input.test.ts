import fc from "fast-check";
import { expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { checkJob } from "../../../chain/consensus/check-job.ts";
import type { Block, Certificate, Message, Proposal, Vote } from "../../../chain/consensus/types.ts";
import { idAt } from "../../../chain/consensus/validator-set.ts";
import { VoteGate } from "../../../chain/consensus/vote-gate.ts";
import { simulatedKeys } from "../../sim/sim-crypto.ts";
import { CoreDriver, voteText } from "./support/core-driver.ts";
import { CHAIN_ID } from "./support/validators.ts";

const ODD = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, 2 ** 64];
const number = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 3 }), fc.constantFrom(...ODD));
const bytes = fc.oneof(fc.constant(new Uint8Array()), fc.uint8Array({ minLength: 1, maxLength: 40 }));
const hash: fc.Arbitrary<Hex> = fc.oneof(
  fc.constant<Hex>("0x"),
  fc.constantFrom<Hex>(`0x${"11".repeat(32)}`, `0x${"22".repeat(32)}`),
  fc.uint8Array({ maxLength: 3 }).map(bytesToHex),
);
const vote: fc.Arbitrary<Vote> = fc.record({
  kind: fc.constantFrom("PROPOSE", "NOTARIZE", "NULLIFY", "FINALIZE"),
  epoch: number,
  view: number,
  hash,
  validator: number,
  signature: bytes,
});
const certificate: fc.Arbitrary<Certificate> = fc.record({
  kind: fc.constantFrom("NOTARIZE", "NULLIFY", "FINALIZE"),
  epoch: fc.oneof(fc.constant(0), number),
  view: number,
  hash,
  signers: fc.oneof(fc.constant(new Uint8Array([0b1111])), bytes),
  signature: bytes,
});
const block: fc.Arbitrary<Block> = fc.record(
  {
    hash,
    parent: hash,
    height: number,
    epoch: number,
    view: number,
    proposer: number,
    time: number,
    empty: fc.boolean(),
    reveal: bytes,
    beacon: hash,
    parentCertificate: fc.option(certificate, { nil: undefined }),
    next: fc.constant([]),
    body: bytes,
  },
  {
    requiredKeys: [
      "hash",
      "parent",
      "height",
      "epoch",
      "view",
      "proposer",
      "time",
      "empty",
      "reveal",
      "beacon",
      "parentCertificate",
      "body",
    ],
  },
);
/** As right as anybody without a key can make it, so that it comes far. */
const proposal: fc.Arbitrary<Proposal> = fc.record({ vote, block, parentView: number }).map((one) => ({
  ...one,
  vote: { ...one.vote, kind: "PROPOSE", epoch: 0, hash: one.block.hash },
  block: { ...one.block, epoch: 0 },
}));
const message: fc.Arbitrary<Message> = fc.oneof(
  vote.map((one): Message => ({ type: "vote", vote: one })),
  certificate.map((one): Message => ({ type: "certificate", certificate: one })),
  block.map((one): Message => ({ type: "block", block: one })),
  proposal.map((one): Message => ({ type: "proposal", proposal: one })),
  fc
    .array(fc.record({ blocks: fc.array(block, { maxLength: 3 }), certificate }), { maxLength: 3 })
    .map((segments): Message => ({ type: "finals", segments })),
  hash.map((one): Message => ({ type: "fetch-block", hash: one })),
  number.map((height): Message => ({ type: "fetch-finals", height })),
  fc
    .tuple(number, number, number)
    .map(([epoch, from, to]): Message => ({ type: "fetch-certificates", epoch, from, to })),
);

it("takes any message without failing, and learns nothing from those that nobody signed", () => {
  const { crypto } = simulatedKeys();
  fc.assert(
    fc.property(fc.array(message, { maxLength: 20 }), (messages) => {
      const core = new CoreDriver();
      core.certify("NULLIFY", 1);
      const gate = new VoteGate();
      for (const one of messages) {
        for (const job of gate.prepare(core.state, idAt(core.validators.set, 1), one)) {
          for (const event of checkJob(job, CHAIN_ID, crypto).events) core.feed(event);
        }
      }
      expect([core.state.view, core.state.finalView, core.state.blocks.size]).toEqual([2, 0, 0]);
      expect(core.sent).toEqual([]);
    }),
    { numRuns: 600 },
  );
});

it("fetches no parent that no quorum has notarized: a leader could make up as many as memory holds", () => {
  const core = new CoreDriver();
  const view = core.viewLedBy("another");
  core.skipTo(view);
  const madeUp = { ...core.block(view), height: 1_000, parent: `0x${"77".repeat(32)}` as const };
  core.propose(view, madeUp);
  const asked = core.of("send").filter(({ message }) => message.type === "fetch-block");
  expect(asked).toEqual([]);
  expect(core.sent).toEqual([voteText("NULLIFY", view)]);
});

it("fetches the parent that a quorum has notarized, if it has not seen it", () => {
  const core = new CoreDriver();
  const first = core.viewLedBy("another");
  const second = core.viewLedBy("another", first + 1);
  const third = core.viewLedBy("another", second + 1);
  const parent = core.block(second, core.block(first));
  core.skipTo(third);
  core.propose(third, core.block(third, parent), second);
  const asked = core.of("send").flatMap(({ message }) => (message.type === "fetch-block" ? [message.hash] : []));
  expect(asked).toEqual([parent.hash]);
});

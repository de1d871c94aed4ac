/** Checking validators' votes: one by one, as a batch, and as one certificate, beside the portable engine. */
import { bls } from "../../base/bls.ts";
import { portableBls } from "../../base/bls-portable.ts";
import type { Bls, BlsPublicKey } from "../../base/bls-types.ts";
import { utf8 } from "../../base/bytes.ts";
import { Prng } from "../../base/prng.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { type Contestant, interleave } from "../interleave.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly votes: number;
}

interface Votes {
  readonly message: Uint8Array;
  readonly signed: readonly { publicKey: BlsPublicKey; message: Uint8Array; signature: Uint8Array }[];
  readonly publicKeys: readonly BlsPublicKey[];
  readonly certificate: Uint8Array;
}

export const benchCase: BenchCase<Params> = {
  name: "bls-verify",
  description: "votes checked one by one, as a batch and as a certificate, beside noble",
  sizes: { smoke: { rounds: 1, votes: 2 }, full: { rounds: 5, votes: 100 } },
  run,
};

function makeVotes(engine: Bls, count: number): Votes {
  const random = new Prng("votes");
  const message = utf8("one block");
  const keys = Array.from({ length: count }, () => engine.privateKeyFromSeed(random.bytes(32)));
  const publicKeys = keys.map((key) => engine.publicKeyOf(key));
  const signed = publicKeys.map((publicKey, i) => {
    const own = utf8(`vote ${i}`);
    return { publicKey, message: own, signature: engine.sign(keys[i] as Uint8Array, own) };
  });
  const certificate = engine.aggregateSignatures(keys.map((key) => engine.sign(key, message)));
  return { message, signed, publicKeys, certificate };
}

async function run({ rounds, votes: count }: Params): Promise<BenchResult> {
  const votes = makeVotes(bls, count);
  const portableVotes = makeVotes(portableBls, 1);
  let agreed = true;
  const contestant = (name: string, operations: number, verify: () => boolean): Contestant => ({
    name,
    run: () => {
      agreed = verify() && agreed;
      return operations;
    },
  });
  const oneByOne =
    ({ signed }: Votes, engine: Bls) =>
    (): boolean =>
      signed.every(({ publicKey, message, signature }) => engine.verify(publicKey, message, signature));
  const rates = await interleave(rounds, [
    contestant("one by one", count, oneByOne(votes, bls)),
    contestant("batch", count, () => bls.verifyBatch(votes.signed)),
    contestant("certificate", count, () => bls.fastAggregateVerify(votes.publicKeys, votes.message, votes.certificate)),
    contestant("noble, one by one", 1, oneByOne(portableVotes, portableBls)),
  ]);
  return {
    measurements: ["one by one", "batch", "certificate", "noble, one by one"].map((name) => ({
      name,
      value: rates.rate(name),
      unit: "votes/s",
    })),
    comparisons: [
      {
        name: "one by one beside noble",
        ratio: rates.ratio("one by one", "noble, one by one"),
        target: { atLeast: 5 },
      },
      { name: "batch beside one by one", ratio: rates.ratio("batch", "one by one"), target: { atLeast: 1.3 } },
      {
        name: "certificate beside one by one",
        ratio: rates.ratio("certificate", "one by one"),
        target: { atLeast: 10 },
      },
    ],
    agreed,
  };
}

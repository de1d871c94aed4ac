/** Has the browser verify a block: fetches the proof, and lets the light client judge it. */
import { hexToBytes } from "viem";
import type { BlockProof, VerifiedBlock } from "../../chain/light-client/block-verifier.ts";
import type { LightClientProof, ValidatorWeight } from "../../rpc/client/answers.ts";
import { node } from "../state/node.ts";
import { WorkerDesk } from "../workers/worker-desk.ts";
import type { Answer, Question } from "./messages.ts";
import workerUrl from "./worker.ts?worker&url";

/** Further back, the validators of a later epoch are taken on trust instead of all seals being walked. */
const MAX_SEALS = 32;

const desk = new WorkerDesk<Question, Answer>(workerUrl);

export async function verifyBlock(chainId: number, number: bigint, epoch: number): Promise<VerifiedBlock> {
  const chain = { chainId: BigInt(chainId) };
  const known = await desk.ask({ ...chain, kind: "known", epoch });
  let from = "epoch" in known ? known.epoch : undefined;
  if (from === undefined || epoch - from > MAX_SEALS) {
    from = Math.max(0, epoch - MAX_SEALS);
    const { validators } = await node.getEpochValidators({ epoch: from });
    await desk.ask({ ...chain, kind: "trust", epoch: from, validators: stakes(validators) });
  }
  const proof = await node.getLightClientProof({ blockNumber: number, fromEpoch: from });
  const answer = await desk.ask({ ...chain, kind: "verify", proof: bytesOf(proof), fromEpoch: from });
  return "verified" in answer ? answer.verified : { verdict: "malformed" };
}

function stakes(validators: readonly ValidatorWeight[]): BlockProof["validators"] {
  return validators.map(({ publicKey, weight }) => ({ id: publicKey, stake: weight }));
}

function bytesOf({ header, certificate, validators, nextValidators, ancestors, seals }: LightClientProof): BlockProof {
  return {
    header: hexToBytes(header),
    certificate: hexToBytes(certificate),
    validators: stakes(validators),
    ...(nextValidators !== undefined && { nextValidators: stakes(nextValidators) }),
    ancestors: ancestors.map((ancestor) => hexToBytes(ancestor)),
    seals: seals.map((seal) => ({
      header: hexToBytes(seal.header),
      certificate: hexToBytes(seal.certificate),
      nextValidators: stakes(seal.nextValidators),
    })),
  };
}

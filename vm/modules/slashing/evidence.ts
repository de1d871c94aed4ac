/** Evidence as it comes in a call: whether it has the form, accuses of anything, and is signed by the key it names. */
import { bls } from "../../../base/bls.ts";
import { BLS_PUBLIC_KEY_LENGTH, type BlsPublicKey } from "../../../base/bls-types.ts";
import { bytesToHex, compareBytes, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { encodeRlp } from "../../../base/rlp.ts";
import {
  decodeSignedVote,
  type Offence,
  offenceOf,
  rlpOfVoteContent,
  type SignedVote,
  voteMessage,
} from "../../../base/votes.ts";
import { slashingAbi } from "../../interfaces/abi/slashing.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";

/** One BLS verification: 2 ms, which is what a block's gas buys elsewhere. */
const VERIFY_GAS = 300_000n;

/** What the bytes say; nothing of it is proven yet. */
export interface Accusation {
  readonly publicKey: Uint8Array;
  readonly votes: readonly [SignedVote, SignedVote];
  readonly digest: Hex;
}

/** The form only. Throws MalformedKey or MalformedVote. */
export function readAccusation(publicKey: Hex, first: Hex, second: Hex): Accusation {
  const key = hexToBytes(publicKey);
  if (key.length !== BLS_PUBLIC_KEY_LENGTH) throw revertWith(slashingAbi, "MalformedKey", []);
  const votes = [readVote(first, 1n), readVote(second, 2n)] as const;
  return { publicKey: key, votes, digest: digestOf(key, votes) };
}

function readVote(bytes: Hex, which: bigint): SignedVote {
  try {
    return decodeSignedVote(hexToBytes(bytes));
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    throw revertWith(slashingAbi, "MalformedVote", [which]);
  }
}

/** Of the key and what was signed, in one order: the same offence has one digest, however it is sent. */
function digestOf(publicKey: Uint8Array, votes: readonly SignedVote[]): Hex {
  const contents = votes.map((vote) => encodeRlp(rlpOfVoteContent(vote))).sort(compareBytes);
  return bytesToHex(keccak256(encodeRlp([publicKey, ...contents])));
}

/** Throws NoOffence. */
export function offenceIn({ votes: [first, second] }: Accusation): Offence {
  const offence = offenceOf(first, second);
  if (offence === undefined) throw revertWith(slashingAbi, "NoOffence", []);
  return offence;
}

/**
 * Each vote alone under the one key: a sum of several signatures, or one of several keys, is not accepted. The message
 * has the chain's id in it. Throws WrongSignature.
 */
export function verifySignatures(call: ModuleCall, chainId: bigint, { publicKey, votes }: Accusation): void {
  const key = readKey(publicKey);
  for (const [index, vote] of votes.entries()) {
    call.charge(VERIFY_GAS);
    if (bls.verify(key, voteMessage(chainId, vote), vote.signature)) continue;
    throw revertWith(slashingAbi, "WrongSignature", [BigInt(index + 1)]);
  }
}

function readKey(bytes: Uint8Array): BlsPublicKey {
  try {
    return bls.publicKey(bytes);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    throw revertWith(slashingAbi, "MalformedKey", []);
  }
}

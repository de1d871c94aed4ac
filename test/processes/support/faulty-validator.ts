/**
 * A validator that breaks the rules when it is told to: the whole program, with one thing added to what it says. From
 * SIGUSR2 on it sends, after each NOTARIZE of its own, a second one for a block that does not exist. It keeps no record
 * of that, as a real offender would not.
 *
 *     node faulty-validator.js <number of the development key> <chain id> <arguments of ogpu>
 */
import { bls } from "../../../base/bls.ts";
import { bytesToHex, hexToBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { voteMessage } from "../../../base/votes.ts";
import type { Vote } from "../../../chain/consensus/types.ts";
import { Network } from "../../../chain/network/network.ts";
import { developmentValidatorKey } from "../../../genesis/development-validators.ts";

const [program, script, keyIndex, chainId, ...args] = process.argv;
const key = developmentValidatorKey(Number(keyIndex), bls);
let isFaulty = false;

process.on("SIGUSR2", () => {
  isFaulty = true;
});

function contradiction(vote: Vote): Vote {
  const content = { ...vote, hash: bytesToHex(keccak256(hexToBytes(vote.hash))) };
  return { ...content, signature: bls.sign(key, voteMessage(BigInt(chainId ?? 0), content)) };
}

const honest = Network.prototype.broadcast;
Network.prototype.broadcast = function broadcast(message, to): number {
  const count = honest.call(this, message, to);
  if (isFaulty && message.type === "vote" && message.vote.kind === "NOTARIZE") {
    honest.call(this, { type: "vote", vote: contradiction(message.vote) }, to);
  }
  return count;
};

process.argv = [program ?? "", script ?? "", ...args];
await import("../../../cli/main.ts");

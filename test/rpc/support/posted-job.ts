/** A program on the chain and a job for it that waits for bids, for questions about the market. */
import { encodeFunctionData } from "viem";
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { encodeProgram } from "../../../compute/program/codec.ts";
import { contentAddress } from "../../../compute/program/merkle.ts";
import { marketAbi } from "../../../vm/interfaces/abi/market.ts";
import { programsAbi } from "../../../vm/interfaces/abi/programs.ts";
import { MARKET_ADDRESS, PROGRAMS_ADDRESS } from "../../../vm/modules/addresses.ts";
import type { Person } from "../../chain/runtime/support/single-node.ts";
import { stepProgram } from "../../vm/modules/support/step-program.ts";
import type { RpcFixture } from "./rpc-fixture.ts";

const PROGRAM: Uint8Array = encodeProgram(stepProgram(2, 2));
const ANYWHERE: Hex = `0x${"00".repeat(16)}`;

/** By a client that has sent nothing before. The program's address. */
export async function postJob(fixture: RpcFixture, client: Person): Promise<Hex> {
  const program = bytesToHex(contentAddress(PROGRAM));
  const publish = encodeFunctionData({ abi: programsAbi, functionName: "publish", args: [bytesToHex(PROGRAM)] });
  const terms = {
    ...{ program, budget: OGPU, segments: 2, tier: 0, seats: 3, assurance: 0, bidSeconds: 60n, jobSeconds: 3600n },
    region: ANYWHERE,
  } as const;
  const nobody = { target: "0x0000000000000000000000000000000000000000", gas: 0n, tip: 0n } as const;
  const inputs = [bytesToHex(contentAddress(new Uint8Array(256)))];
  const post = encodeFunctionData({ abi: marketAbi, functionName: "postJob", args: [terms, inputs, nobody] });
  const calls = [
    { to: PROGRAMS_ADDRESS, value: 0n, data: hexToBytes(publish) },
    { to: MARKET_ADDRESS, value: 3n * OGPU, data: hexToBytes(post) },
  ];
  for (const [nonce, call] of calls.entries()) {
    const hash = await fixture.include(
      fixture.alone.sign(client, { ...call, nonce: BigInt(nonce), gasLimit: 12_000_000n }),
    );
    const receipt = await fixture.call<{ readonly status: Hex }>("eth_getTransactionReceipt", hash);
    if (receipt.status !== "0x1") throw new Error("the market refuses the job");
  }
  return program;
}

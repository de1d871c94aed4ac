/**
 * Verifiers that do not do their work, in a process of their own:
 * `node faulty-verifier.js <fault> <rpc> <test accounts, with commas> <folder>`. All their parts are the real ones but for the fault.
 */
import { type Abi, decodeFunctionData, encodeEventTopics } from "viem";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { sendUse } from "../../../cli/agent/module-sender.ts";
import { NodeChain } from "../../../cli/agent/node-chain.ts";
import { runVerifier, type VerifierFaults } from "../../../cli/agent/run-verifier.ts";
import { callRpc } from "../../../cli/json-rpc-client.ts";
import type { ChainAction, ChainPort, RoundView, SendOutcome } from "../../../compute/agent/ports.ts";
import { askTile } from "../../../compute/agent/tiles/ask-tile.ts";
import { questionOf, recomputeTile } from "../../../compute/agent/verifier/recompute-tile.ts";
import type { Finding, Place } from "../../../compute/agent/verifier/verifier-state.ts";
import { openWeb } from "../../../compute/agent/web.ts";
import { decodeProgram } from "../../../compute/program/codec.ts";
import { tileDigest } from "../../../compute/program/digest.ts";
import { contentAddress } from "../../../compute/program/merkle.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";
import { ogpuModules } from "../../../rpc/client/modules.ts";
import { testAccount } from "../../../rpc/development/test-accounts.ts";
import { eventually } from "../../cli/support/ogpu-process.ts";

/** A seal that another seat of the round has sent. */
async function anothersSeal(chain: NodeChain, round: bigint): Promise<Hex> {
  const { abi, address } = ogpuModules.verification;
  const topics = encodeEventTopics({ abi: abi as Abi, eventName: "SeatSealed", args: { round } });
  return await eventually(async () => {
    const filter = { address, topics, fromBlock: "0x0", toBlock: "latest" };
    const logs = await callRpc<{ transactionHash: Hex }[]>(chain.link.url, "eth_getLogs", [filter]);
    for (const { transactionHash } of logs) {
      const sent = await callRpc<{ input: Hex; from: Hex }>(chain.link.url, "eth_getTransactionByHash", [
        transactionHash,
      ]);
      const [, seals] = decodeFunctionData({ abi: abi as Abi, data: sent.input }).args as [bigint, { hash: Hex }[]];
      if (sent.from !== chain.account) return seals[0]?.hash;
    }
    return undefined;
  });
}

/** The chain, but for one kind of action. */
function instead<Kind extends ChainAction["kind"]>(
  chain: ChainPort,
  kind: Kind,
  send: (action: Extract<ChainAction, { kind: Kind }>) => Promise<SendOutcome>,
): ChainPort {
  return new Proxy(chain, {
    get: (target, name) => {
      if (name === "send") {
        return (action: ChainAction) =>
          action.kind === kind ? send(action as Extract<ChainAction, { kind: Kind }>) : target.send(action);
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Never computes: copies a seal where seals are asked for, and votes for what the worker has opened. */
const lazy: VerifierFaults = {
  recompute: (round): Promise<Finding> => {
    const { opened } = round.dispute ?? {};
    return Promise.resolve(opened === undefined ? { kind: "unavailable" } : { kind: "found", digest: opened });
  },
  chain: (chain: ChainPort): ChainPort => {
    if (!(chain instanceof NodeChain)) throw new Error("it copies from a real chain");
    const send = async (action: Extract<ChainAction, { kind: "seal" }>): Promise<SendOutcome> => {
      const hash = await anothersSeal(chain, action.round);
      const seals = action.seats.map(({ seat }) => ({ seat, hash }));
      const use = { module: "verification", name: "seal", args: [action.round, seals] } as const;
      const outcome = await sendUse(chain.transactions, use);
      return outcome.kind === "done" ? { kind: "done", block: 0n } : { kind: "refused", error: outcome.message };
    };
    return instead(chain, "seal", send);
  },
};

/** Knows how the worker of `wrong-bits` lies, and says the same: the first bit of what each launch writes is another one. */
async function alibi(chain: NodeChain, round: RoundView, place: Place): Promise<Finding> {
  const [program, endpoint] = await Promise.all([chain.program(round.program), chain.endpoint(round.worker)]);
  if (program === undefined || endpoint === undefined) return { kind: "unavailable" };
  const sign = (digest: Uint8Array): Promise<Uint8Array> => chain.sign(digest);
  const inputs = await askTile(endpoint, round.id, place, sign, openWeb, AbortSignal.timeout(20_000));
  const checked = checkProgram(decodeProgram(program));
  const { written } = recomputeTile({ checked, ...questionOf(round, place) }, inputs);
  const [first] = written.keys();
  const addresses = new Map(
    [...written].map(([buffer, bytes]) => {
      const isSpoilt = buffer === first && place.tile === 0;
      return [buffer, contentAddress(isSpoilt ? bytes.with(0, (bytes[0] ?? 0) ^ 1) : bytes)] as const;
    }),
  );
  return { kind: "found", digest: bytesToHex(tileDigest(place.launch, place.tile, { kind: "done", addresses })) };
}

const [fault = "", rpc = "", accounts = "", dataDir = ""] = process.argv.slice(2);
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
process.stdin.on("end", () => stop.abort()).resume();

function faultsOf(key: Uint8Array): VerifierFaults {
  if (fault === "lazy") return lazy;
  if (fault === "hides-false-outputs") {
    return { chain: (honest) => instead(honest, "challengeOutput", () => new Promise(() => undefined)) };
  }
  if (fault !== "colluding") throw new Error(`no such fault: ${fault}`);
  const chain = new NodeChain(rpc, key);
  return { recompute: (round, place) => alibi(chain, round, place) };
}

await Promise.all(
  accounts.split(",").map((account) => {
    const key = testAccount(Number(account)).privateKey;
    return runVerifier(
      {
        ...{ rpc, key, dataDir, stake: 1_000n * OGPU, challenges: false, allowInternal: false, faults: faultsOf(key) },
        tell: ({ event: kind, ...rest }) => {
          const line = JSON.stringify({ kind, ...rest }, (_, value: unknown) =>
            typeof value === "bigint" ? value.toString() : value,
          );
          process.stdout.write(`${line}\n`);
        },
      },
      stop.signal,
    );
  }),
);
process.exit(0);

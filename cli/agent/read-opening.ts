/** What a worker opened a seat's tile with: the chain keeps its digest only, so it is read out of the transaction. */
import { type Abi, decodeEventLog, decodeFunctionData, encodeEventTopics } from "viem";
import { type Hex, hexToBytes } from "../../base/bytes.ts";
import type { SeatOpening } from "../../compute/agent/ports.ts";
import type { TileOpening } from "../../compute/program/commitment.ts";
import type { MerkleProof } from "../../compute/program/merkle.ts";
import { ogpuModules } from "../../rpc/client/modules.ts";
import { callRpc, quantity } from "../json-rpc-client.ts";
import type { RpcLink } from "./rpc-link.ts";

interface OpeningLog {
  readonly data: Hex;
  readonly topics: [Hex, ...Hex[]];
  readonly transactionHash: Hex;
}

interface ProofArgument {
  readonly index: number;
  readonly count: number;
  readonly siblings: readonly Hex[];
}

interface OpeningArgument {
  readonly seat: number;
  readonly outcome: {
    readonly trapped: boolean;
    readonly trapTile: number;
    readonly versions: readonly { readonly buffer: number; readonly root: Hex }[];
  };
  readonly proof: ProofArgument;
  readonly tiles: readonly {
    readonly buffer: number;
    readonly contents: Hex;
    readonly salt: Hex;
    readonly proof: ProofArgument;
  }[];
}

const { abi, address } = ogpuModules.verification;

/** Undefined when no transaction shows it by itself: the worker is a contract, or has not opened. */
export async function readOpening(link: RpcLink, round: bigint, seat: number): Promise<SeatOpening | undefined> {
  const { begunBlock } = await link.readModule({ module: "verification", functionName: "roundOf", args: [round] });
  const topics = encodeEventTopics({ abi: abi as Abi, eventName: "TileOpened", args: { round } });
  const filter = { address, topics, fromBlock: quantity(begunBlock), toBlock: "latest" };
  const logs = await callRpc<readonly OpeningLog[]>(link.url, "eth_getLogs", [filter]);
  const log = logs.find(({ data, topics: found }) => {
    const { args } = decodeEventLog({ abi: abi as Abi, data, topics: found });
    return (args as unknown as { readonly seat: number }).seat === seat;
  });
  if (log === undefined) return undefined;
  const sent = await callRpc<{ readonly to: Hex | null; readonly input: Hex } | null>(
    ...([link.url, "eth_getTransactionByHash", [log.transactionHash]] as const),
  );
  if (sent?.to?.toLowerCase() !== address) return undefined;
  const { functionName, args } = decodeFunctionData({ abi: abi as Abi, data: sent.input });
  const openings = functionName === "open" ? (args?.[1] as readonly OpeningArgument[]) : [];
  const found = openings.find((opening) => opening.seat === seat);
  return found && openingOf(found);
}

function openingOf({ seat, outcome, proof, tiles }: OpeningArgument): SeatOpening {
  const versions = outcome.versions.map(({ buffer, root }) => ({ buffer, root: hexToBytes(root) }));
  return {
    ...{ seat, proof: proofOf(proof) },
    outcome: outcome.trapped ? { kind: "trap", tile: outcome.trapTile } : { kind: "done", versions },
    tiles: tiles.map(({ buffer, contents, salt, proof: path }) => {
      const opening: TileOpening = { address: hexToBytes(contents), salt: hexToBytes(salt), proof: proofOf(path) };
      return { buffer, opening };
    }),
  };
}

function proofOf({ index, count, siblings }: ProofArgument): MerkleProof {
  return { index, count, siblings: siblings.map(hexToBytes) };
}

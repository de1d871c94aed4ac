/** Has a worker show on the chain a piece of what it owes: it answers, or loses its lock and the job. */
import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { hexToBytes } from "../../base/bytes.ts";
import { decodeProgram } from "../../compute/program/codec.ts";
import type { Program } from "../../compute/program/types.ts";
import type { MarketJob } from "../../rpc/client/market-answers.ts";
import { chunksOf } from "../../vm/modules/market/checkpoint-proof.ts";
import { usageError } from "../failure.ts";
import type { MarketSession } from "./market-session.ts";

/** As the market numbers kinds of demands, and what became of one. */
const KIND = { output: 2, checkpoint: 3 } as const;
const STATUS = { waits: 1, answered: 2 } as const;
const POLL_MILLISECONDS = 500;
const TILE_BITS = 32n;

export interface DemandWords {
  readonly output: string | undefined;
  readonly state: string | undefined;
  readonly tile: number;
  readonly chunk: number | undefined;
}

export interface DemandPlace {
  readonly kind: (typeof KIND)[keyof typeof KIND];
  readonly item: number;
  /** As the market counts them: of a state with the tile above 32 bits. */
  readonly chunk: bigint;
  /** For people. */
  readonly what: string;
}

/** What the words name in the job's program. Any piece will do to find out who hides something, so one is drawn. */
export async function demandedPlace(
  session: MarketSession,
  job: MarketJob,
  words: DemandWords,
  path: string,
): Promise<DemandPlace> {
  const args = [job.program] as const;
  const encoding = await session.link.readModule({ module: "programs", functionName: "encodingOf", args });
  const program = decodeProgram(hexToBytes(encoding));
  return words.state === undefined ? outputPlace(program, words, path) : statePlace(program, words.state, words, path);
}

export function outputPlace(program: Program, { output, chunk }: DemandWords, path: string): DemandPlace {
  const { buffers, outputs } = program;
  const names = outputs.map((buffer) => buffers[buffer]?.name ?? "");
  const item = output === undefined ? 0 : names.indexOf(output);
  const buffer = buffers[outputs[item] ?? -1];
  if (buffer === undefined) {
    throw usageError(`--output ${output}: there is ${names.join(", ")}`, `See: ${path} --help`);
  }
  const chunks = chunksOf(buffer.bytes);
  const index = chunk ?? randomInt(chunks);
  if (index >= chunks) throw usageError(`--chunk ${index}: there are ${chunks}, counted from 0`, `See: ${path} --help`);
  const what = `chunk ${index} of ${chunks} of output ${buffer.name}`;
  return { kind: KIND.output, item, chunk: BigInt(index), what };
}

export function statePlace(
  { buffers }: Program,
  state: string,
  { tile, chunk = 0 }: DemandWords,
  path: string,
): DemandPlace {
  const item = buffers.findIndex(({ name }) => name === state);
  if (item < 0) {
    const names = buffers.map(({ name }) => name).join(", ");
    throw usageError(`--state ${state}: there is ${names}`, `See: ${path} --help`);
  }
  const what = `chunk ${chunk} of tile ${tile} of ${state} as the segment left it`;
  return { kind: KIND.checkpoint, item, chunk: (BigInt(tile) << TILE_BITS) | BigInt(chunk), what };
}

export interface Demanded {
  readonly bond: bigint;
  /** Protocol seconds at which the answer is due. */
  readonly by: bigint;
}

/** The session sends the bond with it. Throws CHAIN_REFUSED. */
export async function demand(session: MarketSession, job: bigint, place: DemandPlace): Promise<Demanded> {
  const { kind, item, chunk } = place;
  const name = kind === KIND.output ? "demandOutput" : "demandCheckpoint";
  await session.send({ module: "market", name, args: [job, item, chunk] });
  return await read(session, job, place);
}

/** Whether it was answered; `undefined` when the signal came first. */
export async function awaitAnswer(
  session: MarketSession,
  job: bigint,
  place: DemandPlace,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  while (!signal.aborted) {
    const { status } = await read(session, job, place);
    if (status !== STATUS.waits) return status === STATUS.answered;
    await delay(POLL_MILLISECONDS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

function read(
  { link }: MarketSession,
  job: bigint,
  { kind, item, chunk }: DemandPlace,
): Promise<Demanded & { readonly status: number }> {
  const args = [job, kind, item, chunk] as const;
  return link.readModule({ module: "market", functionName: "demandOf", args });
}

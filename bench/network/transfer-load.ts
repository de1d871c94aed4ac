/** Presigned transfers, sent over connections of each account, until every chain that is named has all of them. */
import { setTimeout as delay } from "node:timers/promises";
import { bytesToHex } from "../../base/bytes.ts";
import { GWEI } from "../../base/units.ts";
import { testAccount } from "../../rpc/development/test-accounts.ts";
import { signTransaction } from "../../vm/transaction/sign.ts";
import { HttpClient, prepareRequest } from "./http-client.ts";

export interface TransferLoad {
  /** By account, in order of nonces. */
  readonly raws: readonly (readonly string[])[];
  readonly addresses: readonly string[];
  /** Of each account's first. */
  readonly firstNonce: number;
}

export function signLoad(chainId: bigint, accounts: number, transfers: number): TransferLoad {
  const people = Array.from({ length: accounts }, (_, index) => testAccount(index));
  const perAccount = Math.floor(transfers / accounts);
  const raws = people.map(({ privateKey }, index) => {
    const to = people[(index + 1) % accounts]?.address;
    return Array.from({ length: perAccount }, (_, nonce) =>
      bytesToHex(
        signTransaction(
          {
            type: 2,
            chainId,
            nonce: BigInt(nonce),
            maxFeePerGas: 1000n * GWEI,
            maxPriorityFeePerGas: GWEI,
            gasLimit: 21_000n,
            to,
            value: 1n,
            data: new Uint8Array(0),
            accessList: [],
          },
          privateKey,
        ),
      ),
    );
  });
  return { raws, addresses: people.map(({ address }) => address), firstNonce: 0 };
}

/** So many in all, evenly from the accounts, and those that are left. */
export function splitLoad({ raws, addresses, firstNonce }: TransferLoad, first: number): [TransferLoad, TransferLoad] {
  const perAccount = Math.floor(first / raws.length);
  return [
    { raws: raws.map((own) => own.slice(0, perAccount)), addresses, firstNonce },
    { raws: raws.map((own) => own.slice(perAccount)), addresses, firstNonce: firstNonce + perAccount },
  ];
}

export interface LoadResult {
  readonly transfers: number;
  /** From the first request to the answer of the last. */
  readonly sentSeconds: number;
  /** From the first request until all chains have all of them. */
  readonly seconds: number;
}

const POLL_MILLISECONDS = 25;

export interface Pace {
  /** Transfers of a request. A batch of 1 is a single request. */
  readonly batch: number;
  /** Connections of each account, each with one request under way. */
  readonly connections: number;
}

/** Sends to `target` and waits for all of `chains`. */
export async function runLoad(
  target: URL,
  chains: readonly URL[],
  load: TransferLoad,
  { batch, connections }: Pace,
): Promise<LoadResult> {
  const requests = load.raws.flatMap((raws) => dealt(requestsOf(target, raws, batch), connections));
  const clients = await Promise.all(requests.map(() => HttpClient.open(target)));
  const watchers = await Promise.all(chains.map((chain) => HttpClient.open(chain)));
  const nonces = prepareRequest(target, nonceQuestion(load.addresses));
  const perAccount = load.raws[0]?.length ?? 0;
  const start = performance.now();
  try {
    await Promise.all(clients.map((client, index) => sendAll(client, requests[index] ?? [])));
    const sentSeconds = (performance.now() - start) / 1000;
    await Promise.all(watchers.map((watcher) => untilMined(watcher, nonces, load.firstNonce + perAccount)));
    const seconds = (performance.now() - start) / 1000;
    return { transfers: perAccount * load.raws.length, sentSeconds, seconds };
  } finally {
    for (const client of [...clients, ...watchers]) client.close();
  }
}

function requestsOf(url: URL, raws: readonly string[], batch: number): Buffer[] {
  const call = (raw: string, id: number): object => ({
    jsonrpc: "2.0",
    id,
    method: "eth_sendRawTransaction",
    params: [raw],
  });
  if (batch === 1) return raws.map((raw, id) => prepareRequest(url, JSON.stringify(call(raw, id))));
  const requests: Buffer[] = [];
  for (let start = 0; start < raws.length; start += batch) {
    requests.push(prepareRequest(url, JSON.stringify(raws.slice(start, start + batch).map(call))));
  }
  return requests;
}

/** In turn: what is under way of an account are nonces that follow each other. */
function dealt(requests: readonly Buffer[], hands: number): Buffer[][] {
  return Array.from({ length: hands }, (_, hand) => requests.filter((_request, index) => index % hands === hand));
}

async function sendAll(client: HttpClient, requests: readonly Buffer[]): Promise<void> {
  for (const request of requests) {
    const answer = await client.post(request);
    if (answer.includes('"error"')) throw new Error(`refused: ${answer.toString("utf8", 0, 400)}`);
  }
}

function nonceQuestion(addresses: readonly string[]): string {
  return JSON.stringify(
    addresses.map((address, id) => ({
      jsonrpc: "2.0",
      id,
      method: "eth_getTransactionCount",
      params: [address, "latest"],
    })),
  );
}

async function untilMined(client: HttpClient, question: Buffer, nonce: number): Promise<void> {
  for (;;) {
    const answers = JSON.parse((await client.post(question)).toString()) as { result: string }[];
    if (answers.every(({ result }) => Number(result) >= nonce)) return;
    await delay(POLL_MILLISECONDS);
  }
}

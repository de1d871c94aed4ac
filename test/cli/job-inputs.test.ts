import { expect, it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { InputAnswers } from "../../cli/job/answer-inputs.ts";
import type { MarketSession } from "../../cli/job/market-session.ts";
import { contentAddress, verifyChunk } from "../../compute/program/merkle.ts";
import type { MarketJob } from "../../rpc/client/market-answers.ts";

const CLIENT: Hex = `0x${"Ab".repeat(20)}`;
const contents = Uint8Array.from({ length: 2_500 }, (_, index) => (index * 7) % 251);
const address = contentAddress(contents);

interface Sent {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** A session whose node has the input, and demands for it. */
function sessionOf(
  account: Hex,
  chunks: readonly bigint[],
): { readonly session: MarketSession; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const demands = [
    ...chunks.map((chunk) => ({ kind: 1, item: 1, chunk })),
    // Of the worker.
    { kind: 2, item: 0, chunk: 0n },
  ];
  const session = {
    account,
    link: { url: "http://node", readModule: () => Promise.resolve(demands) },
    web: (url: string) =>
      Promise.resolve(url.includes(bytesToHex(address)) ? new Response(contents) : new Response(null, { status: 404 })),
    send: (use: Sent) => Promise.resolve(void sent.push(use)),
  };
  return { session: session as unknown as MarketSession, sent };
}

const job = { id: 5n, client: CLIENT, inputs: [`0x${"00".repeat(32)}`, bytesToHex(address)] } as unknown as MarketJob;

it("shows what is demanded of the client's inputs, with a proof that the market takes", async () => {
  const { session, sent } = sessionOf(CLIENT.toLowerCase() as Hex, [0n, 2n]);
  const told: string[] = [];
  new InputAnswers(session, (text) => told.push(text)).onJob(job);
  await expect.poll(() => sent.length).toBe(2);
  for (const [place, { name, args }] of sent.entries()) {
    const [id, input, chunk, bytes, siblings] = args as [bigint, number, bigint, Hex, readonly Hex[]];
    expect([name, id, input, chunk]).toEqual(["answerInput", 5n, 1, place === 0 ? 0n : 2n]);
    const path = { index: Number(chunk), count: contents.length, siblings: siblings.map(hexToBytes) };
    expect(verifyChunk(address, hexToBytes(bytes), path)).toBe(true);
  }
  await expect.poll(() => told.length).toBe(2);
});

it("leaves to the client what only the client is asked for", async () => {
  const { session, sent } = sessionOf(`0x${"cd".repeat(20)}`, [0n]);
  new InputAnswers(session, () => undefined).onJob(job);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(sent).toEqual([]);
});

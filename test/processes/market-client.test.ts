/** What a client does for its job and to it: a devnet, providers and the client's command, each in its process. */
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { OGPU } from "../../base/units.ts";
import { statusName } from "../../rpc/client/market-answers.ts";
import { REASON } from "../../vm/modules/market/numbers.ts";
import { eventually, ogpuJson, runOgpu } from "../cli/support/ogpu-process.ts";
import { addressOf, bitsOf, MarketNetwork } from "./support/market-network.ts";
import { ProviderProcess } from "./support/provider-process.ts";

const [CLIENT, HIDER] = [0, 1] as const;
const [ANNE, BERT] = [2, 3] as const;
/** Nobody would wait for it. */
const A_YEAR = 31_536_000n;

let network: MarketNetwork;

beforeAll(async () => {
  network = await MarketNetwork.start({ market: { attestSeconds: A_YEAR, answerSeconds: 4n } });
});
afterEach(() => ProviderProcess.stopAll());
afterAll(() => network.stop());

it("a client that stays attests the state after each segment, and the next begins though its window lasts a year", async () => {
  await network.provider("honest", ANNE);
  const work = ["--example", "heat-equation", "--example-size", "16", "--example-steps", "6"];
  const terms = ["--budget", "1", "--segments", "3", "--bid-seconds", "4", "--job-seconds", "900"];
  const words = ["job", "submit", "--rpc", network.url, "--from", String(CLIENT), ...work, ...terms, "--json"];
  const { code, out, err } = await runOgpu(...words);
  expect([code, err]).toEqual([0, ""]);
  const { job: text } = JSON.parse(out.trim().split("\n").at(-1) ?? "") as { job: string };
  const job = await network.jobOver(BigInt(text));
  expect([statusName(job.status), job.reason, job.segment]).toEqual(["settled", REASON.paid, 2]);
  expect(job.outputs).toEqual(await bitsOf(16, 6));
  const attested = (await network.events("market", "CheckpointAttested")).filter(({ args }) => args.job === job.id);
  expect(attested.map(({ args }) => [args.segment, args.by.toLowerCase()])).toEqual([
    [0, addressOf(CLIENT)],
    [1, addressOf(CLIENT)],
  ]);
  const paid = (await network.reasons(job.id)).filter((reason) => reason === REASON.segmentPaid);
  expect(paid).toHaveLength(2);
  expect(await network.lockOf(CLIENT)).toMatchObject({ allocated: 0n });
});

it("a client that withholds its input loses its lock, half of it to the worker, and gets the rest back", async () => {
  await network.provider("honest", BERT);
  const work = ["--example", "heat-equation", "--example-size", "16", "--example-steps", "7"];
  const made = await ogpuJson<{ source: string }>("source", "create", "--rpc", network.url, "--from", "1", ...work);
  const wallet = await network.wallet(HIDER);
  await eventually(async () =>
    (await network.chain.getSource({ source: BigInt(made.source) })).members === 1n ? true : undefined,
  );
  const before = await network.lockOf(BERT);
  // The address of bytes that nobody has. Of an auction no provider would take it; racers are drawn.
  const inputs = [`0x${"ab".repeat(32)}`] as const;
  const id = await wallet.submitTask({ source: BigInt(made.source), inputs });
  const { locked: clientLock, price } = await network.chain.getJob({ job: id });
  const job = await network.jobOver(id);
  expect([statusName(job.status), job.reason]).toEqual(["rejected", REASON.inputWithheld]);
  const withheld = (await network.events("market", "Withheld")).filter(({ args }) => args.job === id);
  expect(withheld.map(({ args }) => [args.accused.toLowerCase(), args.item])).toEqual([[addressOf(HIDER), 0]]);
  const share = await network.chain.getParameter({ name: "market.clientLockShare" });
  expect(clientLock).toBe((price * share) / 1_000_000n);
  const punished = (await network.events("market", "Punished")).filter(({ args }) => args.job === id);
  expect(punished.map(({ args }) => ({ ...args, account: args.account.toLowerCase() }))).toEqual([
    {
      ...{ job: id, account: addressOf(HIDER), reason: REASON.inputWithheld },
      ...{ fromLock: clientLock, fromCollateral: 0n, toVictim: clientLock / 2n },
    },
  ]);
  expect(await network.lockOf(HIDER)).toEqual({ locked: 0n, allocated: 0n });
  // The price and the seats' fees come back; the worker has lost nothing, and its place in the source is as it was.
  const refunded = (await network.events("market", "Refunded")).filter(({ args }) => args.job === id);
  const fee = await network.chain.getParameter({ name: "market.seatFee" });
  expect(refunded.map(({ args }) => args.amount)).toEqual([price + 3n * fee]);
  expect(await network.collateralOf(BERT)).toBe(100n * OGPU);
  expect(await network.lockOf(BERT)).toEqual(before);
});

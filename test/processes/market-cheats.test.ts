/** Providers that copy, or deliver something else than they computed: what it costs them. */
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { OGPU } from "../../base/units.ts";
import { REASON } from "../../vm/modules/market/numbers.ts";
import { REASON as VERDICT } from "../../vm/modules/verification/round-types.ts";
import { eventually, ogpuJson } from "../cli/support/ogpu-process.ts";
import { addressOf, MarketNetwork } from "./support/market-network.ts";
import { ProviderProcess } from "./support/provider-process.ts";

const CLIENT = 0;
const [ANNE, BERT, CARL, DORA] = [2, 3, 4, 5] as const;

let network: MarketNetwork;

beforeAll(async () => {
  // Thieves, and whom they rob, let these times pass.
  const market = { revealSeconds: 30n };
  network = await MarketNetwork.start({ market, verification: { openSeconds: 30n } });
});
afterEach(() => ProviderProcess.stopAll());
afterAll(() => network.stop());

it("who copies a seal cannot reveal it, who copies a commitment cannot open it: both pay", async () => {
  const work = ["--example", "heat-equation", "--example-size", "16", "--example-steps", "4"];
  const made = await ogpuJson<{ source: string }>("source", "create", "--rpc", network.url, "--from", "0", ...work);
  const { program } = await network.chain.getSource({ source: BigInt(made.source) });
  const wallet = await network.wallet(CLIENT);
  // Of the collateral a tenth is locked by each member, and a quarter of that is lost by who holds others up.
  const source = await wallet.createSource({ program, racers: 3, collateral: 10n * OGPU });
  await wallet.closeSource({ source: BigInt(made.source) });
  // Whom they rob computes and commits, but is gone when it should open: otherwise it would win, and they lose nothing.
  await Promise.all([
    network.provider("never-opens", ANNE),
    network.provider("steals-seals", BERT),
    network.provider("steals-commitments", CARL),
  ]);
  await eventually(async () => ((await network.chain.getSource({ source })).members === 3n ? true : undefined));
  const id = await network.submit(CLIENT, 16, 4, "--source", String(source));
  const punished = await eventually(async () => {
    const found = await network.punished(id);
    return found.length >= 3 ? found : undefined;
  });
  const all = { fromLock: OGPU, fromCollateral: 10n * OGPU };
  expect(punished).toEqual([
    { account: addressOf(ANNE), reason: REASON.wrong, ...all },
    { account: addressOf(BERT), reason: REASON.unrevealed, fromLock: OGPU / 4n, fromCollateral: 0n },
    { account: addressOf(CARL), reason: REASON.wrong, ...all },
  ]);
  await ProviderProcess.stopAll();
  expect(await Promise.all([ANNE, BERT, CARL].map((account) => network.collateralOf(account)))).toEqual([
    90n * OGPU,
    100n * OGPU,
    90n * OGPU,
  ]);
  const rounds = (await network.events("verification", "Closed")).filter(({ args }) => args.job === id);
  expect(rounds.map(({ args }) => args.reason)).toEqual([VERDICT.notOpened, VERDICT.notOpened]);
  await wallet.closeSource({ source });
});

it("a provider that delivers another output than it computed is caught by a seat, and pays as for a wrong result", async () => {
  const liar = await network.provider("wrong-output", DORA);
  const terms = ["--budget", "1", "--bid-seconds", "4", "--job-seconds", "900"];
  // One launch of one tile: every seat has the output.
  const id = await network.submit(CLIENT, 16, 1, ...terms);
  await network.reasonComes(id, REASON.wrong);
  await liar.stop("SIGKILL");
  const { round, ...closed } = await network.closedRound(id);
  expect(closed).toMatchObject({ accepted: false, reason: VERDICT.falseOutput });
  const fromCollateral = await network.priceOf(id);
  expect(await network.punishedFor(id, REASON.wrong)).toEqual([
    { account: addressOf(DORA), reason: REASON.wrong, fromLock: OGPU / 10n, fromCollateral },
  ]);
  const seats = await network.chain.readModule({ module: "verification", functionName: "seatsOf", args: [round] });
  const drawn = seats.map(({ verifier }) => verifier.toLowerCase());
  expect(drawn).toContain(await network.catcherOf(id, OGPU / 10n, fromCollateral));
  expect(await network.collateralOf(DORA)).toBe(100n * OGPU - (fromCollateral ?? 0n));
  await network.wallet(CLIENT).then((wallet) => wallet.cancelJob({ job: id }));
  expect((await network.jobOver(id)).locked).toBe(0n);
});

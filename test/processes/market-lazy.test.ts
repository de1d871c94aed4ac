/** A verifier that does not compute: what it costs it, and nobody else. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { OGPU } from "../../base/units.ts";
import { REASON } from "../../vm/modules/market/numbers.ts";
import { REASON as VERDICT } from "../../vm/modules/verification/round-types.ts";
import { addressOf, MarketNetwork } from "./support/market-network.ts";

const CLIENT = 0;
const LIAR = 2;
const LAZY = 7;
/** Those of the devnet. */
const DILIGENT = [16, 17, 18, 19] as const;

let network: MarketNetwork;

beforeAll(async () => {
  const verifiers = [{ account: addressOf(LAZY), stake: 1_000n * OGPU }];
  // It lets the time to reveal pass: it cannot.
  network = await MarketNetwork.start({ verifiers, verification: { revealSeconds: 20n } });
  await network.verifiers("lazy", LAZY);
});
afterAll(() => network.stop());

it("a verifier that copies seals and votes without computing loses its fee for each seat, and the penalty for its vote", async () => {
  const before = await network.stakeOf(LAZY);
  const others = await Promise.all(DILIGENT.map((account) => network.stakeOf(account)));
  const liar = await network.provider("wrong-bits", LIAR);
  const terms = ["--budget", "1", "--seats", "8", "--bid-seconds", "4", "--job-seconds", "900"];
  const id = await network.submit(CLIENT, 16, 1, ...terms);
  // Before the job is auctioned again.
  await network.reasonComes(id, REASON.wrong);
  await liar.stop("SIGKILL");
  const { round, ...closed } = await network.closedRound(id);
  expect(closed).toMatchObject({ accepted: false, reason: VERDICT.votedFalse });
  const seats = await network.chain.readModule({ module: "verification", functionName: "seatsOf", args: [round] });
  const own = seats.filter(({ verifier }) => verifier.toLowerCase() === addressOf(LAZY));
  expect(own.every(({ isSealed, isRevealed }) => isSealed && !isRevealed)).toBe(true);
  const [fee, multiple] = await Promise.all([
    network.chain.getParameter({ name: "market.seatFee" }),
    network.chain.getParameter({ name: "verification.penaltyMultiple" }),
  ]);
  const absent = (await network.events("verification", "Absent")).filter(({ args }) => args.round === round);
  const silences = absent.filter(({ args }) => args.verifier.toLowerCase() === addressOf(LAZY));
  expect(silences).toHaveLength(own.length);
  // More than a third of all seats silent would be the network's fault.
  const cost = own.length * 3 > seats.length ? 0n : fee;
  expect(silences.map(({ args }) => args.amount)).toEqual(own.map(() => cost));
  expect(before - (await network.stakeOf(LAZY))).toBe(multiple * fee + cost * BigInt(own.length));
  // Who computed loses nothing.
  expect(await Promise.all(DILIGENT.map((account) => network.stakeOf(account)))).toEqual(others);
  await network.wallet(CLIENT).then((wallet) => wallet.cancelJob({ job: id }));
});

/** Verifiers with most of the stake who stand by a worker that lies, where votes are drawn: tier 1, and what is above it. */
import { createPublicClient, http } from "viem";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { OGPU } from "../../base/units.ts";
import { statusName } from "../../rpc/client/market-answers.ts";
import { REASON } from "../../vm/modules/market/numbers.ts";
import { REASON as VERDICT } from "../../vm/modules/verification/round-types.ts";
import { eventually, runOgpu } from "../cli/support/ogpu-process.ts";
import { addressOf, MarketNetwork } from "./support/market-network.ts";
import { ProviderProcess } from "./support/provider-process.ts";

const CLIENT = 0;
const [ANNE, BERT, CARL] = [2, 3, 4] as const;
const COMMITTEE = [8, 9] as const;
/** With four honest ones of 1,000: 85 % of the stake lie. */
const STAKE = 11_500n * OGPU;
/** Of ten seats and at least five votes, some are honest with odds of nine in ten: then somebody calls the referee. */
const SEATS = "10";
const TRIES = 12;

let network: MarketNetwork;

beforeAll(async () => {
  const verifiers = COMMITTEE.map((account) => ({ account: addressOf(account), stake: STAKE }));
  // Votes are drawn however few verifiers there are, and five more for than against decide.
  const verification = { smallSet: 0n, pollSize: 5n, lead: 5n, challengeSeconds: 15n };
  network = await MarketNetwork.start({ verifiers, verification });
});
afterEach(() => ProviderProcess.stopAll());
afterAll(() => network.stop());

const isCommittee = (verifier: string): boolean =>
  COMMITTEE.some((account) => addressOf(account) === verifier.toLowerCase());

it("a colluding committee wins the vote and loses to the referee: the worker and every false vote are paid for", async () => {
  await network.verifiers("colluding", ...COMMITTEE);
  await network.provider("wrong-bits", ANNE);
  const [fee, multiple] = await Promise.all([
    network.chain.getParameter({ name: "market.seatFee" }),
    network.chain.getParameter({ name: "verification.penaltyMultiple" }),
  ]);
  for (let tries = 1; ; tries++) {
    const before = await Promise.all(COMMITTEE.map((account) => network.stakeOf(account)));
    const collateral = await network.collateralOf(ANNE);
    const terms = ["--budget", "1", "--seats", SEATS, "--assurance", "1", "--bid-seconds", "4", "--job-seconds", "900"];
    const id = await network.submit(CLIENT, 16, 1, ...terms);
    const { round, ...closed } = await network.closedRound(id);
    const decided = (await network.events("verification", "Decided")).filter(({ args }) => args.round === round);
    // Nobody honest was drawn, so nobody knew: the chance that docs/spec/verification.md names.
    if (closed.accepted && tries < TRIES) continue;
    expect(decided.map(({ args }) => [args.accepted, args.reason])).toEqual([
      [true, VERDICT.votedTrue],
      [false, VERDICT.refereeFalse],
    ]);
    expect(closed).toMatchObject({ accepted: false, reason: VERDICT.refereeFalse });
    await ProviderProcess.stopAll();
    const seats = await network.chain.readModule({ module: "verification", functionName: "seatsOf", args: [round] });
    const votes = await network.chain.readModule({
      ...{ module: "verification", functionName: "votesOf", args: [round, 0n, 100n] },
    });
    const spoken = [...seats, ...votes].filter(({ isRevealed }) => isRevealed);
    const lost = COMMITTEE.map((account) => {
      const own = spoken.filter(({ verifier }) => verifier.toLowerCase() === addressOf(account));
      return BigInt(own.length) * multiple * fee;
    });
    const after = await Promise.all(COMMITTEE.map((account) => network.stakeOf(account)));
    expect(before.map((stake, at) => stake - (after[at] ?? 0n))).toEqual(lost);
    const punished = await network.punishedFor(id, REASON.wrong);
    const fromCollateral = await network.priceOf(id);
    expect(punished).toEqual([
      { account: addressOf(ANNE), reason: REASON.wrong, fromLock: OGPU / 10n, fromCollateral },
    ]);
    const honest = spoken.map(({ verifier }) => verifier.toLowerCase()).filter((verifier) => !isCommittee(verifier));
    expect(honest).toContain(await network.catcherOf(id, OGPU / 10n, fromCollateral));
    expect(collateral - (await network.collateralOf(ANNE))).toBe(fromCollateral);
    await network.wallet(CLIENT).then((wallet) => wallet.cancelJob({ job: id }));
    return;
  }
});

it("an honest worker that a colluding committee votes false calls the referee itself, and is paid", async () => {
  await network.verifiers("colluding", ...COMMITTEE);
  const worker = await network.provider("honest", CARL);
  for (let tries = 1; ; tries++) {
    const terms = ["--budget", "1", "--seats", "3", "--bid-seconds", "4", "--job-seconds", "900"];
    const id = await network.submit(CLIENT, 16, 2, ...terms);
    const { round, ...closed } = await network.closedRound(id);
    const called = (await network.events("verification", "Challenged")).filter(({ args }) => args.round === round);
    // Nobody of the committee was drawn, or an honest verifier was faster.
    const isOwn = called.some(({ args }) => args.challenger.toLowerCase() === addressOf(CARL));
    expect(closed.accepted).toBe(true);
    if (!isOwn && tries < TRIES) continue;
    expect(isOwn).toBe(true);
    const decided = (await network.events("verification", "Decided")).filter(({ args }) => args.round === round);
    expect(decided.map(({ args }) => [args.accepted, args.reason])).toContainEqual([false, VERDICT.votedFalse]);
    expect(worker.lines).toContainEqual(expect.objectContaining({ kind: "accused", job: String(id), isRight: true }));
    const job = await network.jobOver(id);
    expect([statusName(job.status), job.worker.toLowerCase()]).toEqual(["settled", addressOf(CARL)]);
    expect(await network.punished(id)).toEqual([]);
    return;
  }
});

it("an output that no seat would challenge is challenged by the client that waits for it", async () => {
  await network.verifiers("hides-false-outputs", ...COMMITTEE);
  await network.provider("wrong-output", BERT);
  const work = ["--example", "heat-equation", "--example-size", "16", "--example-steps", "1"];
  const terms = ["--budget", "1", "--seats", "1", "--bid-seconds", "4", "--job-seconds", "900"];
  const words = ["job", "submit", "--rpc", network.url, "--from", String(CLIENT), ...work, ...terms, "--json"];
  const submitting = runOgpu(...words);
  const falsified = await eventually(async () => {
    const decided = await network.events("verification", "Decided");
    return decided.find(({ args }) => args.reason === VERDICT.falseOutput);
  });
  const { job: id, round } = falsified.args;
  await ProviderProcess.stopAll();
  const client = createPublicClient({ transport: http(network.url) });
  const sender = (await client.getTransaction({ hash: falsified.transactionHash })).from.toLowerCase();
  const [seat] = await network.chain.readModule({ module: "verification", functionName: "seatsOf", args: [round] });
  // Where an honest verifier had the one seat, it may have been first.
  expect(
    isCommittee(seat?.verifier ?? "") ? [addressOf(CLIENT)] : [addressOf(CLIENT), seat?.verifier.toLowerCase()],
  ).toContain(sender);
  const fromCollateral = await network.priceOf(id);
  expect(await network.punishedFor(id, REASON.wrong)).toEqual([
    { account: addressOf(BERT), reason: REASON.wrong, fromLock: OGPU / 10n, fromCollateral },
  ]);
  expect(await network.catcherOf(id, OGPU / 10n, fromCollateral)).toBe(sender);
  await network.wallet(CLIENT).then((wallet) => wallet.cancelJob({ job: id }));
  expect((await submitting).code).toBe(1);
});

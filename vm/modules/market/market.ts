/** The market module: sources and tasks that are raced for, jobs that are auctioned, and what becomes of them. */
import type { Hex } from "../../../base/bytes.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { Address } from "../../state/account.ts";
import { MARKET_ADDRESS } from "../addresses.ts";
import { defineModule, type ModuleHandlers, type NativeModule } from "../module.ts";
import type { ParameterStore } from "../parameter-store.ts";
import { placeBid, postJob, quoteJob, revealBid, type Terms } from "./auction.ts";
import { bidsOf } from "./bids.ts";
import { cancelJob, capBudget, raiseBudget } from "./budget.ts";
import { bidSealOf, sealOf } from "./commitment.ts";
import { takeVerdicts } from "./decided.ts";
import { deliver } from "./deliver.ts";
import { findDemand, openDemands } from "./demand-record.ts";
import { answerCheckpoint, answerInput, answerOutput, demandCheckpoint, demandInput, demandOutput } from "./demands.ts";
import { ensureDraw } from "./draw.ts";
import { heldMoney } from "./escrow.ts";
import { jobCount, readState } from "./job-record.ts";
import { joinSource, leaveSource } from "./members.ts";
import { DEMAND_KIND } from "./numbers.ts";
import type { MarketPorts } from "./ports.ts";
import { commitSealed, reveal } from "./race.ts";
import { receiptOf, resultOf } from "./results.ts";
import { attestCheckpoint, commitSegment, setHolder } from "./segments.ts";
import { closeSource, createSource, quoteTask, requireSource, sourceCount, updateSource } from "./sources.ts";
import { submitTask } from "./tasks.ts";
import * as views from "./views.ts";
import { countWorkEmission } from "./work-emission.ts";

type Handlers = ModuleHandlers<typeof marketAbi>;

export function createMarketModule(parameters: ParameterStore, ports: MarketPorts): NativeModule {
  return defineModule({
    name: "market",
    address: MARKET_ADDRESS,
    abi: marketAbi,
    parameters,
    handlers: { ...poolHandlers(ports), ...auctionHandlers(ports), ...demandHandlers(ports), ...viewsOf(ports) },
    endEpoch: (call) => countWorkEmission(call, ports.token),
    endBlock: (call) => takeVerdicts(call, ports),
  });
}

function lower(text: Hex): Hex {
  return text.toLowerCase() as Hex;
}

type PoolHandler =
  | "createSource"
  | "updateSource"
  | "closeSource"
  | "joinSource"
  | "leaveSource"
  | "submitTask"
  | "commitSealed"
  | "reveal"
  | "cancel"
  | "deliver";

function poolHandlers(ports: MarketPorts): Pick<Handlers, PoolHandler> {
  return {
    createSource: (call, program, tier, racers, collateral, seats, assurance, maxPrice, taskSeconds) =>
      createSource(call, program, tier, { racers, collateral, seats, assurance, maxPrice, taskSeconds }),
    updateSource: (call, source, racers, collateral, seats, assurance, maxPrice, taskSeconds) =>
      updateSource(call, source, { racers, collateral, seats, assurance, maxPrice, taskSeconds }),
    closeSource,
    joinSource: (call, source, device) => {
      joinSource(call, source, device);
      ensureDraw(call, source);
    },
    leaveSource,
    submitTask: (call, source, inputs, callback) =>
      submitTask(call, source, inputs, { ...callback, target: lower(callback.target) }),
    commitSealed,
    reveal: (call, job, commitment, nonce) => reveal(call, ports, job, commitment, nonce),
    cancel: cancelJob,
    deliver,
  };
}

type AuctionHandler =
  | "postJob"
  | "bid"
  | "revealBid"
  | "commitSegment"
  | "attestCheckpoint"
  | "setHolder"
  | "raiseBudget"
  | "capBudget";

function auctionHandlers(ports: MarketPorts): Pick<Handlers, AuctionHandler> {
  return {
    postJob: (call, terms, inputs, callback) =>
      postJob(call, termsOf(terms), inputs, { ...callback, target: lower(callback.target) }),
    bid: placeBid,
    revealBid: (call, job, price, secondsTaken, region, nonce) =>
      revealBid(call, job, { price, secondsTaken, region: lower(region) }, nonce),
    commitSegment: (call, job, segment, commitment) => commitSegment(call, ports, job, segment, commitment),
    attestCheckpoint: (call, job, segment) => attestCheckpoint(call, ports, job, segment),
    setHolder: (call, job, holder) => setHolder(call, job, lower(holder)),
    raiseBudget,
    capBudget,
  };
}

function termsOf(terms: Terms): Terms {
  return { ...terms, program: lower(terms.program), region: lower(terms.region) };
}

type DemandHandler =
  | "demandInput"
  | "demandOutput"
  | "demandCheckpoint"
  | "answerInput"
  | "answerOutput"
  | "answerCheckpoint";

function demandHandlers(ports: MarketPorts): Pick<Handlers, DemandHandler> {
  return {
    demandInput,
    demandOutput,
    demandCheckpoint,
    answerInput: (call, job, item, chunk, contents, siblings) =>
      answerInput(call, ports, { job, kind: DEMAND_KIND.input, item, chunk }, { contents, siblings }),
    answerOutput: (call, job, item, chunk, contents, siblings) =>
      answerOutput(call, ports, { job, kind: DEMAND_KIND.output, item, chunk }, { contents, siblings }),
    answerCheckpoint: (call, job, item, chunk, contents, siblings, proof) =>
      answerCheckpoint(call, ports, { job, kind: DEMAND_KIND.checkpoint, item, chunk }, { contents, siblings }, proof),
  };
}

type ViewHandler = Exclude<keyof Handlers, PoolHandler | AuctionHandler | DemandHandler>;

function viewsOf(ports: MarketPorts): Pick<Handlers, ViewHandler> {
  return {
    sealOf: (_call, job, worker, commitment, nonce) => sealOf(job, lower(worker), commitment, nonce),
    bidSealOf: (_call, job, attempt, bidder, price, secondsTaken, region, nonce) =>
      bidSealOf(job, attempt, lower(bidder), { price, secondsTaken, region }, nonce),
    quoteTask: (call, source) => {
      const { price, verification, lock } = quoteTask(call, requireSource(call, source));
      return [price, verification, price + verification, lock];
    },
    quoteJob: (call, terms) => {
      const { suggested, verification, lock, bidLock } = quoteJob(call, termsOf(terms));
      return [suggested, verification, terms.budget + verification, lock, bidLock];
    },
    sourceOf: views.sourceView,
    sourceCount,
    openSources: views.openSourcePage,
    sources: views.sourcePage,
    membersOf: views.memberPage,
    membershipsOf: (call, provider, start, limit) => views.membershipPage(call, lower(provider), start, limit),
    jobOf: views.jobView,
    jobCount,
    jobs: views.jobPage,
    jobsByStatus: views.statusPage,
    countByStatus: views.countByStatus,
    jobsOfClient: (call, client, start, limit) =>
      views.accountPage(call, "jobs of client", lower(client) as Address, start, limit),
    jobsOfWorker: (call, worker, start, limit) =>
      views.accountPage(call, "jobs of worker", lower(worker) as Address, start, limit),
    bidsOf: (call, job) => {
      const { attempt } = readState(call, job);
      return bidsOf(call, job, attempt).map((bid) => views.bidView(call, job, attempt, bid));
    },
    demandOf: (call, job, kind, item, chunk) => {
      const demand = findDemand(call, { job, kind, item, chunk });
      return demand === undefined ? views.NO_DEMAND : views.demandView(demand);
    },
    openDemands: (call, job) => openDemands(call, job).map(views.demandView),
    resultOf: (call, job) => {
      const { done, accepted, outputs } = resultOf(call, job);
      return [done, accepted, outputs];
    },
    receiptOf: (call, job) => receiptOf(call, ports, job),
    totalEscrow: heldMoney,
  };
}

import type { Detector, Finding, ModuleEvent, WatchedBlock } from "../anomaly.ts";

const WORKER = 1;

/** Results that verifiers doubt, and what came of it. */
export class DoubtfulResults implements Detector {
  onBlock({ events }: WatchedBlock): readonly Finding[] {
    return events.filter(({ module }) => module === "verification").flatMap(findingOf);
  }
}

function findingOf({ name, args }: ModuleEvent): readonly Finding[] {
  const round = String(args["round"]);
  if (name === "Disputed") {
    const [launch, tile] = [String(args["launch"]), String(args["tile"])];
    const message = `Verifiers doubt tile ${tile} of launch ${launch} in round ${round}: it is put to the vote.`;
    return [{ kind: "verification-mismatch", severity: "warning", message, data: { round, launch, tile } }];
  }
  if (name !== "Closed" || args["accepted"] === true) return [];
  const job = String(args["job"]);
  const isWorker = Number(args["guilty"]) === WORKER;
  const message = `The result of job ${job} was found false in round ${round}${isWorker ? ", and its worker guilty" : ""}.`;
  return [
    { kind: "verification-mismatch", severity: isWorker ? "critical" : "warning", message, data: { round, job } },
  ];
}

import type { Detector, Finding, ModuleEvent, Severity, WatchedBlock } from "../anomaly.ts";

interface Wording {
  readonly severity: Severity;
  readonly say: (args: ModuleEvent["args"]) => string;
}

/** Events that are anomalies by themselves: somebody was found to have broken a rule. */
const WORDINGS: ReadonlyMap<string, Wording> = new Map<string, Wording>([
  [
    "slashing.Slashed",
    {
      severity: "critical",
      say: ({ operator }) => `The validator of ${text(operator)} broke the rules of consensus and was slashed.`,
    },
  ],
  [
    "slashing.Absent",
    {
      severity: "warning",
      say: ({ operator, signedBlocks, countedBlocks }) =>
        `The validator of ${text(operator)} signed ${text(signedBlocks)} of ${text(countedBlocks)} blocks of its epoch and was jailed.`,
    },
  ],
  [
    "providers.Slashed",
    { severity: "warning", say: ({ provider }) => `Provider ${text(provider)} lost part of its collateral.` },
  ],
  ["verifiers.Slashed", { severity: "warning", say: ({ verifier }) => `Verifier ${text(verifier)} was slashed.` }],
  [
    "verifiers.Jailed",
    { severity: "warning", say: ({ verifier }) => `Verifier ${text(verifier)} was jailed for silence.` },
  ],
  [
    "governance.ExecutionFailed",
    {
      severity: "warning",
      say: ({ id, reason }) => `Proposal ${text(id)} was accepted and could not be carried out: ${text(reason)}.`,
    },
  ],
]);

export class Penalties implements Detector {
  onBlock({ number, events }: WatchedBlock): readonly Finding[] {
    return events.flatMap(({ module, name, args }) => {
      const wording = WORDINGS.get(`${module}.${name}`);
      if (wording === undefined) return [];
      const data = { block: number, event: `${module}.${name}` };
      return [{ kind: "penalty", severity: wording.severity, message: wording.say(args), data }];
    });
  }
}

/** Of a chain's events: addresses, numbers and short texts. */
function text(value: unknown): string {
  return String(value).slice(0, 200);
}

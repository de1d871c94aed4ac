/** Sends what was decided: nothing twice in one block, and the operator hears of a refusal once. */
import { PROVIDER_LIMITS } from "../limits.ts";
import type { ChainAction, ChainPort } from "../ports.ts";

interface SenderPorts {
  readonly chain: ChainPort;
  tell(
    event:
      | { readonly kind: "sent"; readonly action: ChainAction["kind"]; readonly job: bigint }
      | {
          readonly kind: "refused";
          readonly action: ChainAction["kind"];
          readonly job: bigint;
          readonly error: string;
        },
  ): void;
}

export class ActionSender {
  readonly #ports: SenderPorts;
  /** What was sent since the last block: a view that does not show it yet is no reason to send it again. */
  readonly #sent = new Set<string>();
  /** What is tried with every block and refused, with the error. */
  readonly #refused = new Map<string, string>();

  constructor(ports: SenderPorts) {
    this.#ports = ports;
  }

  newBlock(): void {
    this.#sent.clear();
  }

  /** Whether it was done now. */
  async send(action: ChainAction, job: bigint): Promise<boolean> {
    const { kind } = action;
    const key = nameOf(action, job);
    if (this.#sent.has(key)) return false;
    const outcome = await this.#ports.chain.send(action);
    if (outcome.kind === "refused") {
      const { error } = outcome;
      if (this.#refused.get(key) !== error) this.#ports.tell({ kind: "refused", action: kind, job, error });
      if (this.#refused.size >= PROVIDER_LIMITS.journalRecords) this.#refused.clear();
      this.#refused.set(key, error);
      return false;
    }
    this.#refused.delete(key);
    this.#sent.add(key);
    this.#ports.tell({ kind: "sent", action: kind, job });
    return true;
  }
}

/** Tells what is sent apart from anything else of the same job. */
function nameOf(action: ChainAction, job: bigint): string {
  const parts = Object.values(action).filter((part) => typeof part === "bigint" || typeof part === "number");
  const first = action.kind === "open" ? action.seats[0]?.seat : undefined;
  return [action.kind, job, first, ...parts].join(" ");
}

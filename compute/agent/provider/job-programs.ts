/** The programs of jobs that a provider looks at: from the chain, checked once, the last ones kept. */
import type { Hex } from "../../../base/bytes.ts";
import { decodeProgram } from "../../program/codec.ts";
import { type CheckedProgram, checkProgram } from "../../ptx/check-program.ts";
import { agentError } from "../errors.ts";
import type { BlobPort, ChainPort } from "../ports.ts";
import { factsOf, type ProgramFacts } from "./policy.ts";

export interface JobProgram {
  readonly checked: CheckedProgram;
  readonly facts: ProgramFacts;
}

const MAX_KEPT = 64;

export class JobPrograms {
  readonly #ports: { readonly chain: ChainPort; readonly blobs: BlobPort };
  readonly #kept = new Map<Hex, JobProgram>();

  constructor(ports: { readonly chain: ChainPort; readonly blobs: BlobPort }) {
    this.#ports = ports;
  }

  has(address: Hex): boolean {
    return this.#kept.has(address);
  }

  /** It is in the own blobs then, where workers on other machines find it. Throws JOB_REFUSED, and what checking it throws. */
  async get(address: Hex): Promise<JobProgram> {
    const known = this.#kept.get(address);
    if (known !== undefined) return known;
    const encoded = await this.#ports.chain.program(address);
    if (encoded === undefined) throw agentError("JOB_REFUSED", `nobody has published program ${address}`);
    const checked = checkProgram(decodeProgram(encoded));
    await this.#ports.blobs.put(encoded);
    const program = { checked, facts: factsOf(checked) };
    this.#kept.set(address, program);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return program;
  }
}

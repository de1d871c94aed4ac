/** A worker of the page's own that questions are put to, one script each. */
import { CodedError } from "../../base/errors.ts";

export interface Asked<Question> {
  readonly id: number;
  readonly question: Question;
}

export type Answered<Answer> =
  | { readonly id: number; readonly answer: Answer }
  | { readonly id: number; readonly problem: WorkerProblem };

/** An error does not keep its members on the way between threads. */
export interface WorkerProblem {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

type Policy = { createScriptURL(url: string): string };

/** Scripts of the page's own build alone: their addresses are constants of it. */
let policy: Policy | undefined;

function scriptUrl(url: string): string {
  const { trustedTypes } = globalThis as {
    readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
  };
  policy ??= trustedTypes?.createPolicy("workers", { createScriptURL: (script) => script });
  return policy?.createScriptURL(url) ?? url;
}

export class WorkerDesk<Question, Answer> {
  readonly #url: string;
  readonly #waiting = new Map<number, Waiting<Answer>>();
  #worker: Worker | undefined;
  #nextId = 1;

  constructor(url: string) {
    this.#url = url;
  }

  /** Rejects with a CodedError that the worker threw, or WORKER_LOST. */
  ask(question: Question): Promise<Answer> {
    const id = this.#nextId++;
    const asked: Asked<Question> = { id, question };
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#started().postMessage(asked);
    });
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(scriptUrl(this.#url), { type: "module" });
    this.#worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<Answered<Answer>>) => this.#hear(data));
    worker.addEventListener("error", ({ message }) => this.#lose(message ?? "it could not be loaded"));
    return worker;
  }

  #hear(answered: Answered<Answer>): void {
    const waiting = this.#waiting.get(answered.id);
    this.#waiting.delete(answered.id);
    if ("answer" in answered) {
      waiting?.resolve(answered.answer);
    } else {
      const { code, message, hint } = answered.problem;
      waiting?.reject(new CodedError(code, message, hint === undefined ? {} : { hint }));
    }
  }

  /** The next question starts it again. */
  #lose(message: string): void {
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values())
      reject(new CodedError("WORKER_LOST", `a script failed: ${message}`));
    this.#waiting.clear();
  }
}

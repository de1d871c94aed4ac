/**
 * Questions whose answers cost the node more than a moment of the thread that makes blocks. One is asked at a time, and all
 * who ask the same before it has left share its answer: a batch of a thousand is one question, not a thousand copies of
 * everything that waits.
 */
import { CodedError } from "../../base/errors.ts";

/** Different questions that wait for their turn. */
const MAX_WAITING = 256;

export class SharedQuestions {
  /** Those that have not left yet. */
  readonly #waiting = new Map<string, Promise<unknown>>();
  #order: Promise<unknown> = Promise.resolve();

  /** `key` is the same for the same question. Rejects with what `start` does, or with RPC_BUSY. */
  ask<Result>(key: string, start: () => Promise<Result>): Promise<Result> {
    const known = this.#waiting.get(key);
    if (known !== undefined) return known as Promise<Result>;
    if (this.#waiting.size >= MAX_WAITING) {
      return Promise.reject(new CodedError("RPC_BUSY", "too many requests wait for the node: try again later"));
    }
    const answer = this.#order.then(() => {
      this.#waiting.delete(key);
      return start();
    });
    this.#waiting.set(key, answer);
    this.#order = answer.catch(() => undefined);
    return answer;
  }
}

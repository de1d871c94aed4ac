/**
 * Answers a batch of reads where nothing else of the RPC is: as many of its first requests as a short turn allows, and as can
 * be answered here as they would be there. Whoever asked answers the others.
 */
import { isCoded } from "../base/errors.ts";
import type { ReadsAnswer } from "./calls/job-context.ts";
import type { ChainReads } from "./chain-view.ts";
import { failure, isInvalid, readRequest, success } from "./envelope.ts";
import { MAX_READS_ANSWER, READS_MILLISECONDS } from "./limits.ts";
import { callMethod, type RpcContext, type RpcMethod } from "./method.ts";
import { METHODS } from "./methods.ts";
import { methodsIn } from "./methods-in.ts";
import { describeError } from "./rpc-error.ts";
import type { Now } from "./turns.ts";

const READS: ReadonlyMap<string, RpcMethod> = new Map(
  METHODS.filter(({ isRead }) => isRead).map((method) => [method.name, method]),
);

/** Between two looks at the clock, which take as long as a tenth of a read. */
const READS_BY_CLOCK = 4;

/** `body` is a list of requests, all of reads by what its text looks like. */
export function answerReads(body: string, chain: ChainReads, now: Now = () => performance.now()): ReadsAnswer {
  // All that a read works with.
  const context = { chain } as RpcContext;
  const texts: string[] = [];
  const failures: (readonly [number, number])[] = [];
  const requests = listIn(body);
  const methods = methodsIn(body, requests.length, READS);
  const end = now() + READS_MILLISECONDS;
  let length = 0;
  let count = 0;
  // What whoever asked has charged for and allows is what the text names, and nothing else.
  if (methods?.length !== requests.length) return { requests: 0, count, text: "", failures };
  for (; count < requests.length && length < MAX_READS_ANSWER; count++) {
    if (count % READS_BY_CLOCK === 0 && now() >= end) break;
    const request = readRequest(requests[count]);
    const method = methods[count];
    if (isInvalid(request) || request.method !== method?.name) break;
    let answer: string;
    try {
      answer = success(request.id, callMethod(method, context, request.params));
    } catch (error) {
      // A state that this thread has not kept may be there for the other; a bug is told by the other.
      const told = isCoded(error, "STORE_NO_ARCHIVE") ? undefined : describeError(error);
      if (told === undefined) break;
      failures.push([count, told.code]);
      answer = failure(request.id, told);
    }
    length += answer.length;
    if (request.id !== undefined) texts.push(answer);
  }
  return { requests: requests.length, count, text: texts.join(","), failures };
}

function listIn(body: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(body);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

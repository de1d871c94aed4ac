/** The worker's side of a WorkerDesk. */
import { isCoded } from "../../base/errors.ts";
import type { Answered, Asked } from "./worker-desk.ts";

export function serveQuestions<Question, Answer>(answer: (question: Question) => Answer | Promise<Answer>): void {
  addEventListener("message", async ({ data: { id, question } }: MessageEvent<Asked<Question>>) => {
    const reply = (answered: Answered<Answer>): void => postMessage(answered);
    try {
      reply({ id, answer: await answer(question) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const hint = isCoded(error) ? error.data["hint"] : undefined;
      reply({
        id,
        problem: {
          ...{ code: isCoded(error) ? error.code : "UNEXPECTED", message },
          hint: typeof hint === "string" ? hint : undefined,
        },
      });
    }
  });
}

/** The light client on a thread of its own: a signature takes tens of milliseconds in JavaScript. */
import { BlockVerifier } from "../../chain/light-client/block-verifier.ts";
import { serveQuestions } from "../workers/serve-questions.ts";
import type { Answer, Question } from "./messages.ts";

let verifier: BlockVerifier | undefined;

function answer(question: Question): Answer {
  verifier ??= new BlockVerifier(question.chainId);
  switch (question.kind) {
    case "known":
      return { epoch: verifier.knownUpTo(question.epoch) };
    case "trust":
      verifier.trustEpoch(question.epoch, question.validators);
      return { epoch: question.epoch };
    case "verify":
      return { verified: verifier.verify(question.proof, question.fromEpoch) };
  }
}

serveQuestions(answer);

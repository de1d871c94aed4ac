/** Asks a person at a terminal; whoever is not there gets the answers that were given as options, or the usual ones. */
import { createInterface } from "node:readline/promises";
import { usageError } from "../failure.ts";

export interface Question {
  /** As it is asked: "Where should the node keep its chain?" */
  readonly text: string;
  /** The option that answers it, for those who are not asked: `--data-dir`. */
  readonly option: string;
  /** What was given by that option. */
  readonly given: string | undefined;
  readonly usual: string | undefined;
  /** Throws a CodedError when the answer will not do. */
  readonly check?: (answer: string) => unknown;
}

export interface Questions {
  ask(question: Question): Promise<string>;
  close(): void;
}

export interface QuestionStreams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

const STANDARD: QuestionStreams = { input: process.stdin, output: process.stderr };

/** `path` is the command's, for its help. Nothing is asked with `--yes`, or where nobody could answer. */
export function questionsFor(path: string, isSilent: boolean, streams: QuestionStreams = STANDARD): Questions {
  if (isSilent || streams.input.isTTY !== true) return { ask: (question) => silent(question, path), close: () => {} };
  const reader = createInterface({ input: streams.input, output: streams.output });
  return {
    ask: async (question) => {
      const { text, given, usual, check } = question;
      if (given !== undefined) return checked(question, given);
      for (;;) {
        const line = (await reader.question(`${text}${usual === undefined ? "" : ` [${usual}]`} `)).trim();
        const answer = line === "" ? usual : line;
        if (answer === undefined) continue;
        try {
          check?.(answer);
          return answer;
        } catch (error) {
          streams.output.write(`${error instanceof Error ? error.message : String(error)}\n`);
        }
      }
    },
    close: () => reader.close(),
  };
}

async function silent(question: Question, path: string): Promise<string> {
  const answer = question.given ?? question.usual;
  if (answer !== undefined) return checked(question, answer);
  throw usageError(`${question.option} is missing: ${question.text}`, `See: ${path} --help`);
}

function checked({ check, option }: Question, answer: string): string {
  try {
    check?.(answer);
    return answer;
  } catch (error) {
    throw usageError(`${option} ${answer}: ${error instanceof Error ? error.message : String(error)}`, "Try another.");
  }
}

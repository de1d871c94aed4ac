/** Keeps the validators of a devnet running, each in a process of its own. */
import { CodedError } from "../../base/errors.ts";
import { type ChildEnd, type ChildEvent, ValidatorProcess } from "./validator-process.ts";

export interface SupervisedValidator {
  readonly logPath: string;
  /** Made anew for each start. */
  args(): readonly string[];
}

export interface SupervisorOptions {
  readonly validators: readonly SupervisedValidator[];
  onEvent(index: number, event: ChildEvent): void;
  onProblem(index: number, line: string): void;
  /** It ended by itself and is started again in so many milliseconds. */
  onEnd(index: number, end: ChildEnd, restartIn: number): void;
  /** It cannot even start: starting it again would not help. */
  onFailure(error: CodedError): void;
}

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** Who ran for so long has not failed at its start. */
const LONG_RUN = 60_000;
/** A process that ends with the devnet before this one holds its folder for a moment longer. */
const LOCKED: readonly string[] = ["STORE_LOCKED", "WAL_LOCKED"];
const MAX_LOCKED = 20;

interface Place {
  process: ValidatorProcess | undefined;
  timer: NodeJS.Timeout | undefined;
  startedAt: number;
  pause: number;
  hasStarted: boolean;
  locked: number;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #places: Place[];
  #isStopping = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#places = options.validators.map(() => ({
      ...{ process: undefined, timer: undefined, startedAt: 0, pause: FIRST_PAUSE },
      ...{ hasStarted: false, locked: 0 },
    }));
  }

  start(): void {
    for (const index of this.#places.keys()) this.#start(index);
  }

  pid(index: number): number | undefined {
    return this.#places[index]?.process?.pid;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(
      this.#places.map(({ process, timer }) => {
        clearTimeout(timer);
        return process?.stop();
      }),
    );
  }

  #start(index: number): void {
    const place = this.#places[index];
    const validator = this.#options.validators[index];
    if (place === undefined || validator === undefined || this.#isStopping) return;
    place.startedAt = Date.now();
    place.process = new ValidatorProcess({
      args: validator.args(),
      logPath: validator.logPath,
      onEvent: (event) => {
        if (event.event === "started") place.hasStarted = true;
        this.#options.onEvent(index, event);
      },
      onProblem: (line) => this.#options.onProblem(index, line),
      onEnd: (end) => this.#onEnd(index, place, end),
    });
  }

  #onEnd(index: number, place: Place, end: ChildEnd): void {
    place.process = undefined;
    if (this.#isStopping) return;
    const isLocked = LOCKED.includes(end.failure?.code ?? "") && place.locked++ < MAX_LOCKED;
    if (!place.hasStarted && !isLocked) {
      this.#options.onFailure(startFailure(index, end));
      return;
    }
    if (Date.now() - place.startedAt > LONG_RUN) place.pause = FIRST_PAUSE;
    const { pause } = place;
    place.pause = isLocked ? FIRST_PAUSE : Math.min(2 * pause, LONGEST_PAUSE);
    place.timer = setTimeout(() => this.#start(index), pause);
    if (!isLocked) this.#options.onEnd(index, end, pause);
  }
}

function startFailure(index: number, { failure, code, signal }: ChildEnd): CodedError {
  if (failure === undefined) {
    return new CodedError("DEVNET_VALIDATOR_FAILED", `validator ${index} ended with ${signal ?? code} at its start`, {
      hint: `Look at the end of validator-${index}.log in the data folder.`,
    });
  }
  const { code: reason, message, hint } = failure;
  return new CodedError(reason, `validator ${index}: ${message}`, { ...(hint !== undefined && { hint }) });
}

/**
 * Long work that can pause between its steps. Whoever runs it decides: to the end at once, or in turns with others on the
 * same thread. It must not depend on what those others change.
 */
export type Work<Result> = Generator<undefined, Result, undefined>;

/** However it decides, the result comes in the end. */
export type Run = <Result>(work: Work<Result>) => Promise<Result>;

/** `undefined`: go on at once. */
export type Pause = () => Promise<void> | undefined;

export function finish<Result>(work: Work<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

export async function inTurns<Result>(work: Work<Result>, pause: Pause): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    const others = pause();
    if (others !== undefined) await others;
  }
}

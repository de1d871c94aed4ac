/** As many milliseconds as fit into a timer, 24.8 days. Node.js takes more for 1, which would make a loop of waiting. */
const MAX_TIMER = 2 ** 31 - 1;

/** Time as the runtime sees it: a port, so that tests drive it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs once after so many milliseconds, or after 24.8 days, unless the returned function is called before. */
  setTimer(milliseconds: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer: (milliseconds, run) => {
    const timer = setTimeout(run, Math.min(milliseconds, MAX_TIMER));
    return () => clearTimeout(timer);
  },
};

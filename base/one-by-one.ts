/** Runs what it is given one after the other, in the order in which it came; what fails holds up nothing. */
export type OneByOne = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function oneByOne(): OneByOne {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

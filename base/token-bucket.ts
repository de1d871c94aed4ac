/** How much of something may happen: a bucket of tokens that fills at a rate. No clock here: the time is an argument. */

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #at: number;

  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#at = now;
  }

  /** False when there are not enough; then nothing is taken. */
  take(amount: number, now: number): boolean {
    this.#fill(now);
    if (this.#tokens < amount) return false;
    this.#tokens -= amount;
    return true;
  }

  /** For what has happened already: nothing more may, until as much has come in again. */
  owe(amount: number, now: number): void {
    this.#fill(now);
    this.#tokens -= amount;
  }

  #fill(now: number): void {
    const passed = Math.max(0, now - this.#at);
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + (passed * this.#rate.perSecond) / 1000);
    this.#at = Math.max(this.#at, now);
  }
}

/** Times and durations as people say them. The clock comes in as an argument. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `3 s`, `2 min`, `5 h`, `12 d`: the largest unit alone, which is all that a list needs. */
export function formatDuration(milliseconds: number): string {
  const size = Math.max(0, milliseconds);
  if (size < SECOND) return `${Math.round(size)} ms`;
  if (size < 10 * SECOND) return `${(size / SECOND).toFixed(1).replace(/\.0$/, "")} s`;
  if (size < MINUTE) return `${Math.floor(size / SECOND)} s`;
  if (size < HOUR) return withRest(size, MINUTE, "min", SECOND, "s");
  if (size < DAY) return withRest(size, HOUR, "h", MINUTE, "min");
  return withRest(size, DAY, "d", HOUR, "h");
}

/** A second unit while the first is small, where it would hide much. */
function withRest(size: number, unit: number, name: string, smaller: number, smallerName: string): string {
  const whole = Math.floor(size / unit);
  const rest = Math.floor((size % unit) / smaller);
  return whole >= 10 || rest === 0 ? `${whole} ${name}` : `${whole} ${name} ${rest} ${smallerName}`;
}

export function formatAgo(time: number, now: number): string {
  const passed = now - time;
  if (passed < 0) return passed > -2 * SECOND ? "now" : `in ${formatDuration(-passed)}`;
  return passed < SECOND ? "now" : `${formatDuration(passed)} ago`;
}

/** In UTC, so that two people who speak about a block see the same. */
export function formatTime(milliseconds: number): string {
  const text = new Date(milliseconds).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)} UTC`;
}

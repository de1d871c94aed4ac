/**
 * `AbortSignal.any` of a signal that lasts and one that only this call has, such as a timeout. Node.js 20 collects a
 * timeout that nobody but `AbortSignal.any` refers to, and then it never comes (seen in 20.20); one with a listener it
 * keeps until it has come.
 */
export function eitherSignal(lasting: AbortSignal, own: AbortSignal): AbortSignal {
  own.addEventListener("abort", () => undefined, { once: true });
  return AbortSignal.any([lasting, own]);
}

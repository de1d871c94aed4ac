/**
 * libp2p 3 calls `Promise.withResolvers`, which Node.js has from version 22 on. host.ts imports this file before it
 * imports libp2p, and nothing else imports libp2p first.
 */
interface Resolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason?: unknown) => void;
}

function withResolvers<T>(): Resolvers<T> {
  let resolve: Resolvers<T>["resolve"] = () => {};
  let reject: Resolvers<T>["reject"] = () => {};
  const promise = new Promise<T>((resolvePromise, rejectPromise) => {
    resolve = resolvePromise;
    reject = rejectPromise;
  });
  return { promise, resolve, reject };
}

if (!("withResolvers" in Promise)) {
  Object.defineProperty(Promise, "withResolvers", { value: withResolvers, configurable: true, writable: true });
}

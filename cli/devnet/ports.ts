/** Ports of this machine that nobody uses. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { CodedError } from "../../base/errors.ts";

/** Below the ports that systems give to outgoing connections, one of which could take it in the meantime. */
const FIRST = 20_000;
const END = 32_000;
const TRIES = 200;

/** Throws what listening there would throw. */
export async function tryListening(host: string, port: number): Promise<void> {
  const server = createServer();
  const listening = once(server, "listening");
  server.listen(port, host);
  await listening;
  const closed = once(server, "close");
  server.close();
  await closed;
}

export async function isFree(host: string, port: number): Promise<boolean> {
  return tryListening(host, port).then(
    () => true,
    () => false,
  );
}

/** `wanted` if it is free, or any other one. Never one of `taken`, to which the answer is added. */
export async function choosePort(host: string, wanted: number | undefined, taken: Set<number>): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = attempt === 0 && wanted !== undefined ? wanted : randomInt(FIRST, END);
    if (taken.has(port) || !(await isFree(host, port))) continue;
    taken.add(port);
    return port;
  }
  throw new CodedError("NO_FREE_PORT", `no port of ${host} from ${FIRST} to ${END - 1} seems to be free`, {
    hint: "Stop other programs, or give another --rpc-host.",
  });
}

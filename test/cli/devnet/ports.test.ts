import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { choosePort, isFree } from "../../../cli/devnet/ports.ts";

const HOST = "127.0.0.1";

it("takes the port that is wanted if nobody has it, and never one twice", async () => {
  const taken = new Set<number>();
  const first = await choosePort(HOST, undefined, taken);
  expect(taken).toEqual(new Set([first]));
  expect(await choosePort(HOST, first, taken)).not.toBe(first);
  const server = createServer().listen(first, HOST);
  await once(server, "listening");
  try {
    expect(await isFree(HOST, first)).toBe(false);
    expect(await choosePort(HOST, first, new Set())).not.toBe(first);
  } finally {
    server.close();
    await once(server, "close");
  }
  expect(await choosePort(HOST, first, new Set())).toBe(first);
});

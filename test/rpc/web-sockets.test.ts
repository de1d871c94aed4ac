import { once } from "node:events";
import { connect } from "node:net";
import { createPublicClient, webSocket } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { bytesToHex } from "../../base/bytes.ts";
import { ALICE } from "../chain/runtime/support/single-node.ts";
import { HostedNode } from "./support/hosted-node.ts";

const LIMITS = { subscriptionsPerConnection: 3, bytesWaiting: 10_000, requestMilliseconds: 2_000, takenPerSecond: 2e6 };

let hosted: HostedNode;
let url: string;

beforeAll(async () => {
  hosted = await HostedNode.open({ limits: LIMITS });
  url = hosted.host.url.replace("http", "ws");
});

afterAll(() => hosted.close());

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly subscription: string; readonly result: Readonly<Record<string, unknown>> };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A client that keeps what it is told until somebody asks. */
class Client {
  readonly socket: WebSocket;
  readonly #messages: Message[] = [];
  #wake: (() => void) | undefined;
  #nextId = 1;

  constructor(options: object = {}) {
    this.socket = new WebSocket(url, options);
    this.socket.on("message", (data) => {
      this.#messages.push(JSON.parse(String(data)));
      this.#wake?.();
    });
  }

  static async open(): Promise<Client> {
    const client = new Client();
    await once(client.socket, "open");
    return client;
  }

  async ask(method: string, ...params: readonly unknown[]): Promise<Message> {
    const id = this.#nextId++;
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return await this.take((message) => message.id === id);
  }

  async subscribe(namespace: string, ...params: readonly unknown[]): Promise<string> {
    const { result, error } = await this.ask(`${namespace}_subscribe`, ...params);
    expect(error).toBeUndefined();
    return result as string;
  }

  /** The first message of that subscription. */
  async told(subscription: string): Promise<Readonly<Record<string, unknown>>> {
    const message = await this.take(({ params }) => params?.subscription === subscription);
    return message.params?.result as Readonly<Record<string, unknown>>;
  }

  async take(isWanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const index = this.#messages.findIndex(isWanted);
      if (index >= 0) return this.#messages.splice(index, 1)[0] as Message;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

describe("the RPC over WebSocket", () => {
  it("answers requests and batches on the same port, and errors to what is none", async () => {
    const client = await Client.open();
    expect((await client.ask("web3_clientVersion")).result).toBe("ogpu/test");
    client.socket.send("not json");
    expect((await client.take(({ error }) => error !== undefined)).error?.code).toBe(-32_700);
    client.socket.send(Buffer.from([0, 1, 2]));
    expect((await client.take(({ error }) => error !== undefined)).error?.code).toBe(-32_700);
    client.socket.send('{"id":1000,"method":"eth_chainId"}');
    expect((await client.take(({ id }) => id === 1_000)).error?.code).toBe(-32_600);
    client.socket.close();
  });

  it("tells every subscriber of every head, all with the same bytes", async () => {
    const clients = await Promise.all([1, 2, 3].map(() => Client.open()));
    const ids = await Promise.all(clients.map((client) => client.subscribe("eth", "newHeads")));
    expect(new Set(ids).size).toBe(1);
    const numbers = [await hosted.makeBlock(), await hosted.makeBlock()];
    for (const [index, client] of clients.entries()) {
      for (const number of numbers) {
        const head = await client.told(ids[index] as string);
        expect([Number(head["number"]), head["hash"]]).toEqual([number, blockHash(number)]);
      }
    }
    for (const client of clients) client.socket.close();
  });

  it("keeps two subscriptions of one connection to the same apart, and ends one when asked", async () => {
    const client = await Client.open();
    const [first, second] = [await client.subscribe("eth", "newHeads"), await client.subscribe("eth", "newHeads")];
    expect(first).not.toBe(second);
    expect((await client.ask("eth_unsubscribe", first)).result).toBe(true);
    expect((await client.ask("eth_unsubscribe", first)).result).toBe(false);
    const number = await hosted.makeBlock();
    expect(Number((await client.told(second))["number"])).toBe(number);
    client.socket.close();
  });

  it("tells of waiting transactions by hash and in full, and of finality", async () => {
    const client = await Client.open();
    const hashes = await client.subscribe("eth", "newPendingTransactions");
    const whole = await client.subscribe("eth", "newPendingTransactions", true);
    const finality = await client.subscribe("ogpu", "finality");
    const nonce = hosted.node.nextNonce(ALICE.address);
    const hash = await hosted.node.submit(hosted.alone.sign(ALICE, { nonce }));
    expect(await client.told(hashes)).toBe(bytesToHex(hash));
    expect((await client.told(whole))["hash"]).toBe(bytesToHex(hash));
    const { number } = await hosted.alone.nextBlock(hosted.node);
    expect(Number((await client.told(finality))["number"])).toBe(number);
    client.socket.close();
  });

  it("refuses what nobody can subscribe to, and more than a connection may have", async () => {
    const client = await Client.open();
    expect((await client.ask("eth_subscribe", "newUncles")).error?.code).toBe(-32_602);
    expect((await client.ask("ogpu_subscribe", "weather")).error?.code).toBe(-32_602);
    for (let i = 0; i < 3; i++) await client.subscribe("eth", "newHeads");
    expect((await client.ask("eth_subscribe", "syncing")).error?.data).toEqual({ code: "RPC_TOO_MANY_SUBSCRIPTIONS" });
    expect((await hosted.ask("eth_subscribe", "newHeads")).error?.code).toBe(-32_601);
    client.socket.close();
  });

  it("serves viem's watchers", async () => {
    const client = createPublicClient({ transport: webSocket(url) });
    const seen = new Promise<bigint | null>((resolve) => {
      const unwatch = client.watchBlocks({
        onBlock: (block) => {
          unwatch();
          resolve(block.number);
        },
      });
    });
    await client.getBlockNumber();
    const number = await hosted.makeBlock();
    expect(Number(await seen)).toBeGreaterThanOrEqual(number);
    (await client.transport.getRpcClient()).close();
  });

  it("closes a connection that breaks the protocol with the code that says so, and goes on", async () => {
    const client = await Client.open();
    const closed = once(client.socket, "close");
    // A text frame that is not UTF-8.
    client.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect((await closed)[0]).toBe(1007);
    const raw = connect(hosted.host.port, "127.0.0.1");
    raw.write(
      "GET / HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n" +
        "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    );
    await once(raw, "data");
    // Reserved bits, an unknown opcode, no mask.
    raw.write(Buffer.from([0xff, 0x7f, 1, 2, 3]));
    await once(raw, "close");
    expect(await hosted.call("web3_clientVersion")).toBe("ogpu/test");
  });

  it("gives a client that reads a moment later all its answers, however much they are together", async () => {
    const client = await Client.open();
    client.socket.pause();
    const batch = Array.from({ length: 10 }, (_, id) => ({ jsonrpc: "2.0", id, method: "rpc.discover" }));
    // More than the sockets of both sides take.
    for (let i = 0; i < 30; i++) client.socket.send(JSON.stringify(batch));
    while ((await metric('ogpu_rpc_requests_total{method="rpc.discover",outcome="ok"}')) < 300) {
      expect(await metric("ogpu_rpc_websockets")).toBeGreaterThanOrEqual(1);
    }
    client.socket.resume();
    for (let i = 0; i < 30; i++) expect(await client.take(Array.isArray)).toHaveLength(batch.length);
    client.socket.close();
  });

  it("disconnects a client that does not read, and serves the others", async () => {
    const slow = await Client.open();
    const reader = await Client.open();
    const closed = once(slow.socket, "close");
    slow.socket.pause();
    const request = JSON.stringify(
      Array.from({ length: 100 }, (_, id) => ({
        jsonrpc: "2.0",
        id,
        method: "eth_getBlockByNumber",
        params: ["0x0", true],
      })),
    );
    const gone = new Promise((resolve) => slow.socket.on("error", resolve));
    for (let i = 0; i < 200; i++) slow.socket.send(request);
    while ((await metric("ogpu_rpc_websockets")) > 1) await reader.ask("eth_blockNumber");
    slow.socket.resume();
    await Promise.race([closed, gone]);
    expect((await reader.ask("web3_clientVersion")).result).toBe("ogpu/test");
    reader.socket.close();
  });
});

/** 0 where there is none yet. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${hosted.host.url}/metrics`)).text();
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}

function blockHash(number: number): string {
  return bytesToHex(hosted.node.header(number)?.hash ?? new Uint8Array());
}

/**
 * One connection that posts prepared requests, one after the other. As little work as can be, because the load generator
 * shares the machine with what it measures: no parsing beyond the length of the answer.
 */
import { connect, type Socket } from "node:net";

const SEPARATOR = Buffer.from("\r\n\r\n");

export function prepareRequest(url: URL, body: string): Buffer {
  const head = [
    "POST / HTTP/1.1",
    `Host: ${url.host}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

export class HttpClient {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve(body: Buffer): void; reject(error: Error): void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (data) => this.#onData(data));
    socket.on("error", (error) => this.#waiting?.reject(error));
    socket.on("close", () => this.#waiting?.reject(new Error("the server closed the connection")));
  }

  static async open(url: URL): Promise<HttpClient> {
    const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return new HttpClient(socket);
  }

  post(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #onData(data: Buffer): void {
    this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data]);
    const end = this.#received.indexOf(SEPARATOR);
    if (end < 0) return;
    const head = this.#received.toString("latin1", 0, end);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#waiting?.reject(new Error(`an answer without a length: ${head}`));
      return;
    }
    const start = end + SEPARATOR.length;
    if (this.#received.length < start + Number(length)) return;
    const body = this.#received.subarray(start, start + Number(length));
    this.#received = this.#received.subarray(start + Number(length));
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(body);
  }
}

/** One request with any body; for what is not measured. */
export async function rpc<Result>(url: URL, method: string, ...params: readonly unknown[]): Promise<Result> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: Result; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** The way from one node to another: a TCP proxy that a test can cut. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export type LinkState =
  | "open"
  /** Connections are reset, and new ones too. */
  | "refused"
  /** Nothing arrives, and nobody is told: what is under way comes when the link is open again. */
  | "silent";

export class Link {
  readonly #server: Server;
  /** The port behind it. */
  readonly #target: number;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  /** Accepted while the link was silent. */
  readonly #held = new Set<Socket>();
  #state: LinkState = "open";

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
    server.on("connection", (socket) => this.#accept(socket));
  }

  static async open(target: number): Promise<Link> {
    const server = createServer();
    const link = new Link(server, target);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return link;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  set(state: LinkState): void {
    this.#state = state;
    if (state === "refused") this.#reset();
    else for (const pair of this.#pairs) join(pair, state === "open");
    if (state !== "open") return;
    for (const socket of this.#held) this.#connect(socket);
    this.#held.clear();
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#reset();
    await closed;
  }

  #reset(): void {
    for (const socket of [...this.#held, ...[...this.#pairs].flat()]) socket.resetAndDestroy();
    this.#held.clear();
  }

  #accept(socket: Socket): void {
    socket.on("error", () => socket.destroy());
    if (this.#state === "refused") socket.resetAndDestroy();
    else if (this.#state === "open") this.#connect(socket);
    else {
      this.#held.add(socket.pause());
      socket.once("close", () => this.#held.delete(socket));
    }
  }

  #connect(near: Socket): void {
    const far = connect({ port: this.#target, host: "127.0.0.1", noDelay: true });
    near.setNoDelay(true);
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    far.on("error", () => far.destroy());
    for (const [one, other] of [pair, [far, near] as const]) {
      one.once("close", () => {
        other.destroy();
        this.#pairs.delete(pair);
      });
    }
    join(pair, this.#state === "open");
  }
}

function join([near, far]: readonly [Socket, Socket], isOpen: boolean): void {
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.unpipe(to);
    if (isOpen) from.pipe(to);
    else from.pause();
  }
}

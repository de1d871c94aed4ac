/** Strangers at the ports of a node: they follow no protocol, or leave it half way. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { bytesToHex } from "../../../base/bytes.ts";
import type { Prng } from "../../../base/prng.ts";

const ROUND_PAUSE = 100;
/** Connections that each way of attack leaves open at one time. */
const MAX_OPEN = 64;

type Attack = (socket: Socket, random: Prng) => void;

const MULTISTREAM = "\x13/multistream/1.0.0\n";

/** On the port for other nodes. */
const P2P: readonly Attack[] = [
  (socket, random) => socket.write(random.bytes(1 + random.below(100_000))),
  // Half-open: it connects and says nothing.
  () => undefined,
  (socket) => socket.write("GET / HTTP/1.1\r\nHost: node\r\n\r\n"),
  (socket) => socket.write(`${MULTISTREAM}\x0b/no/such/1\n`),
  // As far as Noise, and there nothing that anybody could decrypt.
  (socket, random) => {
    socket.write(`${MULTISTREAM}\x07/noise\n`);
    socket.write(random.bytes(1_000));
  },
  // A frame of Noise that is announced and never comes.
  (socket) => socket.write(Buffer.concat([Buffer.from(`${MULTISTREAM}\x07/noise\n`), Buffer.from([0xff, 0xff])])),
  (socket, random) => {
    socket.write(random.bytes(10));
    socket.resetAndDestroy();
  },
];

/** On the port for clients. */
const HTTP: readonly Attack[] = [
  (socket, random) => socket.write(random.bytes(1 + random.below(100_000))),
  () => undefined,
  (socket) => socket.write("POST / HTTP/1.1\r\nHost: node\r\nContent-Type: application/json\r\nContent-Le"),
  (socket) => post(socket, '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x'),
  (socket) => post(socket, "[".repeat(100_000)),
  (socket, random) => post(socket, sending(bytesToHex(random.bytes(200)))),
  (socket) => post(socket, `[${Array.from({ length: 900 }, () => '{"method":1}').join()}]`),
  (socket) => socket.write("POST / HTTP/1.1\r\nHost: node\r\nContent-Length: 99999999999\r\n\r\n"),
  // Many requests at once, and nobody there to take the answers.
  (socket) => {
    socket.write("GET /metrics HTTP/1.1\r\nHost: node\r\n\r\n".repeat(50));
    socket.resetAndDestroy();
  },
];

function sending(raw: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [raw] });
}

function post(socket: Socket, body: string): void {
  socket.write(
    `POST / HTTP/1.1\r\nHost: node\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
}

export class HostileClients {
  /** How many connections there have been. */
  count = 0;
  readonly #random: Prng;
  readonly #ports: () => { readonly p2p: readonly number[]; readonly http: readonly number[] };
  readonly #open: Socket[] = [];
  readonly #running: Promise<void>;
  #isStopped = false;

  /** They begin at once. */
  constructor(ports: () => { readonly p2p: readonly number[]; readonly http: readonly number[] }, random: Prng) {
    this.#ports = ports;
    this.#random = random;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
    const closed = this.#open.filter(({ closed }) => !closed).map((socket) => once(socket, "close"));
    for (const socket of this.#open) socket.destroy();
    await Promise.all(closed);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const { p2p, http } = this.#ports();
      for (const port of p2p) this.#attack(port, P2P);
      for (const port of http) this.#attack(port, HTTP);
      await delay(ROUND_PAUSE);
    }
  }

  #attack(port: number, attacks: readonly Attack[]): void {
    const attack = attacks[this.count % attacks.length];
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined).on("data", () => undefined);
    socket.once("connect", () => attack?.(socket, this.#random));
    this.#open.push(socket);
    this.count++;
    if (this.#open.length > MAX_OPEN) this.#open.shift()?.destroy();
  }
}

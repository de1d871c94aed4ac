/** The open connections: how many, where from, and what each has under way. */
import type { Socket } from "node:net";
import { ipNetwork } from "../base/ip-network.ts";
import type { Addresses } from "./addresses.ts";
import type { Ticket } from "./admission.ts";

/** Of one socket. */
export interface Connection {
  /** Told apart from all others of this process by it. */
  readonly number: number;
  /** Or the network of it, where one client has many. */
  readonly address: string;
  /** Requests whose answers are not sent. One that waits behind others hears nothing when the socket closes. */
  readonly tickets: Set<Ticket>;
}

export class Connections {
  private readonly max: number;
  private readonly addresses: Addresses;
  private readonly bySocket = new Map<Socket, Connection>();
  private last = 0;

  constructor(max: number, addresses: Addresses) {
    this.max = max;
    this.addresses = addresses;
  }

  get size(): number {
    return this.bySocket.size;
  }

  /** False: there is no room for the socket, and it is closed. */
  accept(socket: Socket): boolean {
    const address = ipNetwork(socket.remoteAddress ?? "local");
    if (this.bySocket.size >= this.max || !this.addresses.connect(address)) {
      socket.destroy();
      return false;
    }
    this.last = (this.last + 1) >>> 0;
    this.bySocket.set(socket, { number: this.last, address, tickets: new Set() });
    socket.once("close", () => this.forget(socket));
    return true;
  }

  of(socket: Socket): Connection | undefined {
    return this.bySocket.get(socket);
  }

  private forget(socket: Socket): void {
    const connection = this.bySocket.get(socket);
    if (connection === undefined) return;
    this.bySocket.delete(socket);
    this.addresses.disconnect(connection.address);
    for (const ticket of connection.tickets) ticket.end();
  }
}

/** Who may come in, and who gives way. */
import type { Hello } from "../wire/node-message.ts";
import type { Dialer } from "./dialer.ts";
import { type NetworkError, networkError } from "./errors.ts";
import { scoredIp } from "./gate.ts";
import { mismatch } from "./hello.ts";
import { MAX_GREETING, MAX_GREETING_PER_IP } from "./limits.ts";
import type { NetworkOptions } from "./options.ts";
import type { PeerSession } from "./peer-session.ts";
import { type Direction, isFull, leastOf, placeLimits } from "./places.ts";
import type { RoleProofs } from "./role-proofs.ts";

export interface AdmissionHost {
  readonly options: NetworkOptions;
  readonly dialer: Pick<Dialer, "isPersistent">;
  readonly roles: RoleProofs;
  /** Also those that have not said hello. */
  sessions(): readonly PeerSession[];
}

export class Admission {
  readonly #host: AdmissionHost;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  /** Before the hello. When all places are taken, a few may still say who they are. */
  cannotGreet(peer: string, address: string): boolean {
    if (!this.#isFullFor(peer, "inbound")) return false;
    const greeting = this.#host.sessions().filter(({ isReady }) => !isReady);
    const ip = scoredIp(address);
    const same = greeting.filter(({ connection }) => scoredIp(connection.remoteAddr.toString()) === ip);
    return greeting.length >= MAX_GREETING || (ip !== undefined && same.length >= MAX_GREETING_PER_IP);
  }

  /** Why a peer that says this cannot stay. A validator may take another's place. */
  refusal({ peer, connection }: PeerSession, hello: Hello): NetworkError | undefined {
    const { options, roles } = this.#host;
    const wrong = mismatch(peer, hello, options);
    if (wrong !== undefined || !this.#isFullFor(peer, connection.direction)) return wrong;
    const isValidator = roles.validatorOf(peer, hello) !== undefined;
    if (isValidator && this.#makePlace(hello)) return undefined;
    return networkError("NETWORK_FULL", "no place for another peer", { peer });
  }

  #isFullFor(peer: string, direction: Direction): boolean {
    const { options, dialer } = this.#host;
    return !dialer.isPersistent(peer) && isFull(this.#others(peer), direction, placeLimits(options));
  }

  #others(peer: string): PeerSession[] {
    return this.#host.sessions().filter((session) => session.isReady && session.peer !== peer);
  }

  /** For a validator that has none of its nodes here. */
  #makePlace({ proof }: Hello): boolean {
    const { dialer, roles } = this.#host;
    const ready = this.#host.sessions().filter(({ isReady }) => isReady);
    if (ready.some(({ peer, hello }) => roles.validatorOf(peer, hello) === proof?.key)) return false;
    const least = leastOf(ready, ({ peer, hello, useful, readyAt, opened }) => ({
      isPersistent: dialer.isPersistent(peer),
      isValidator: roles.validatorOf(peer, hello) !== undefined,
      useful,
      since: readyAt ?? opened,
    }));
    least?.close(networkError("NETWORK_FULL", "a validator needs the place"));
    return least !== undefined;
  }
}

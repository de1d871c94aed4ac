/** What becomes of peers that break the rules: score, and in the end a ban, of the peer and of its address. */
import type { Dialer } from "./dialer.ts";
import { networkError } from "./errors.ts";
import { scoredIp } from "./gate.ts";
import { IP_PATIENCE } from "./limits.ts";
import type { NetworkLog } from "./log.ts";
import type { PeerSession } from "./peer-session.ts";
import type { LimitedKind } from "./rate-limits.ts";
import type { Offence, PeerScores } from "./score.ts";

export interface ConductHost {
  readonly scores: PeerScores;
  readonly log: NetworkLog;
  readonly dialer: Pick<Dialer, "forget">;
  now(): number;
  session(peer: string): PeerSession | undefined;
}

export class Conduct {
  readonly #host: ConductHost;

  constructor(host: ConductHost) {
    this.#host = host;
  }

  offend(peer: string, offence: Offence, error: Error): void {
    const { scores, log, dialer, now } = this.#host;
    const session = this.#host.session(peer);
    log.debug({ peer, offence, error: error.message }, "a peer offends");
    const ip = session === undefined ? undefined : scoredIp(session.connection.remoteAddr.toString());
    if (ip !== undefined) scores.offend(ip, offence, now(), 1 / IP_PATIENCE);
    if (scores.offend(peer, offence, now()) === "tolerate") return;
    log.warn({ peer, offence, error: error.message }, "a peer is banned");
    dialer.forget(peer);
    session?.close(networkError("NETWORK_BANNED", `banned: ${error.message}`, { peer, offence }));
  }

  /**
   * Whether gossip of that peer is within its rate. Also before the hello: gossipsub hands a message over once, so who is
   * not heard when it comes first could hide what others send.
   */
  admits(peer: string, kind: LimitedKind, bytes: number): boolean {
    const session = this.#host.session(peer);
    if (session === undefined) return false;
    if (session.rates.allows(kind, bytes, this.#host.now())) return true;
    this.offend(peer, "flood", networkError("NETWORK_BANNED", `more gossip of kind ${kind} than allowed`));
    return false;
  }
}

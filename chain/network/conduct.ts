/** What becomes of peers that break the rules: score, and in the end a ban, of the peer and of its address. */
import type { Dialer } from "./dialer.ts";
import { networkError } from "./errors.ts";
import { scoredIp } from "./gate.ts";
import { IP_PATIENCE } from "./limits.ts";
import type { NetworkLog } from "./log.ts";
import type { PeerSession } from "./peer-session.ts";
import type { GossipKind } from "./rate-limits.ts";
import type { RoleProofs } from "./role-proofs.ts";
import type { Offence, PeerScores } from "./score.ts";

/**
 * Also an honest peer may seem to do this, when it has to catch up or its line is slow. Validators cannot do without each
 * other: were they banned for it, a long stall would go on for the length of the bans.
 */
const FORGIVEN: ReadonlySet<Offence> = new Set<Offence>(["flood", "unresponsive"]);

export interface ConductHost {
  readonly scores: PeerScores;
  readonly log: NetworkLog;
  readonly dialer: Pick<Dialer, "forget" | "isPersistent">;
  readonly roles: Pick<RoleProofs, "validatorOf">;
  now(): number;
  session(peer: string): PeerSession | undefined;
}

export class Conduct {
  readonly #host: ConductHost;

  constructor(host: ConductHost) {
    this.#host = host;
  }

  /** A peer that the configuration names, or one that is a validator now. */
  isTrusted(peer: string): boolean {
    const { dialer, roles } = this.#host;
    return dialer.isPersistent(peer) || roles.validatorOf(peer, this.#host.session(peer)?.hello) !== undefined;
  }

  /** What was too much is dropped already, and who was too slow is cut off: that is all for those that are trusted. */
  offend(peer: string, offence: Offence, error: Error): void {
    const { scores, log, dialer, now } = this.#host;
    const session = this.#host.session(peer);
    log.debug({ peer, offence, error: error.message }, "a peer offends");
    if (FORGIVEN.has(offence) && this.isTrusted(peer)) return;
    const ip = session === undefined ? undefined : scoredIp(session.connection.remoteAddr.toString());
    if (ip !== undefined) scores.offend(ip, offence, now(), 1 / IP_PATIENCE);
    if (scores.offend(peer, offence, now()) === "tolerate") return;
    log.warn({ peer, offence, error: error.message }, "a peer is banned");
    dialer.forget(peer);
    session?.close(networkError("NETWORK_BANNED", `banned: ${error.message}`, { peer, offence }));
  }

  /**
   * Whether gossip of that peer is within its rate. Also before the hello: gossipsub hands a message over once, so who is
   * not heard when it comes first could hide what others send. More than that is ignored, and no offence: a peer hands on
   * what all others publish, and how much that is is not its doing.
   */
  admits(peer: string, kind: GossipKind, bytes: number): boolean {
    return this.#host.session(peer)?.rates.allows(kind, bytes, this.#host.now()) ?? false;
  }
}

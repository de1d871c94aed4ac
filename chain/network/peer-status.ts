/** What is known of a peer, for the parts above and for operators. */
import type { PeerStatus } from "./options.ts";
import type { PeerSession } from "./peer-session.ts";

export function statusOf(
  { peer, connection, height, hello, queued }: PeerSession,
  judged: Pick<PeerStatus, "role" | "isPersistent" | "score">,
): PeerStatus {
  const { direction, remoteAddr } = connection;
  return { peer, address: remoteAddr.toString(), direction, height, agent: hello?.agent ?? "", queued, ...judged };
}

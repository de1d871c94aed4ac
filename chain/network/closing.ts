/** Ends connections, and libp2p itself. */
import type { Connection, PeerId } from "@libp2p/interface";
import type { Host } from "./host.ts";
import type { NetworkLog } from "./log.ts";

/** So that what was written still arrives. */
export async function closeGently(connection: Connection, reason: Error): Promise<void> {
  try {
    await connection.close({ signal: AbortSignal.timeout(1_000) });
  } catch {
    connection.abort(reason);
  }
}

export async function stopHost(host: Host, log: NetworkLog): Promise<void> {
  try {
    await host.stop();
  } catch (error) {
    log.warn({ error: String(error) }, "libp2p did not stop cleanly");
  }
}

/** What libp2p remembers of peers is otherwise bounded by time alone. */
export function forgetPeer(host: Host, peer: PeerId, log: NetworkLog): void {
  host.peerStore.delete(peer).catch((error: unknown) => {
    log.debug({ error: String(error) }, "cannot forget a peer");
  });
}

/** What the operator may do to this node, over its admin socket. */

import type { Network } from "../../chain/network/network.ts";
import { parseLogLevels } from "../../chain/observe/log-levels.ts";
import type { AdjustableLoggers } from "../../chain/observe/logger.ts";
import { type AdminServer, startAdminServer } from "../../rpc/admin/admin-server.ts";

export interface NodeAdminParts {
  readonly dataDir: string;
  readonly loggers: AdjustableLoggers;
  readonly network: () => Network | undefined;
  readonly facts: () => object;
}

/** A node can do without: where there is no such socket, that is logged and it goes on. */
export async function startNodeAdmin({
  dataDir,
  loggers,
  network,
  facts,
}: NodeAdminParts): Promise<AdminServer | undefined> {
  const log = loggers("rpc");
  try {
    return await startAdminServer(
      dataDir,
      {
        nodeInfo: facts,
        peers: () => network()?.peers() ?? [],
        addPeer: (address) => network()?.addPeer(address),
        setLogLevels: (text) => loggers.setLevels(parseLogLevels(text)),
      },
      (method, error) => log.error({ method, error }, "a bug in an admin method"),
    );
  } catch (error) {
    log.warn({ error }, "there is no admin socket");
    return undefined;
  }
}

/** How commands reach the addresses that others have registered on chain. */
import { type Web, webAccess } from "../../compute/agent/web.ts";
import type { FlagOption } from "../command.ts";
import type { RpcLink } from "./rpc-link.ts";

export const allowInternalOption: FlagOption = {
  type: "flag",
  description:
    "ask also those who registered an address of an internal network; on a development chain that is so anyway",
};

/** The node and what the operator named are trusted. The node is asked when the first request is made. */
export function agentWeb(link: RpcLink, allowInternal: boolean, trusted: readonly string[] = []): Web {
  let access: Promise<Web> | undefined;
  const open = async (): Promise<Web> => {
    const internal = allowInternal || (await link.getStatus()).development;
    return webAccess({ trusted: [link.url, ...trusted], internal });
  };
  return async (url, request) => {
    access ??= open();
    try {
      return await (await access)(url, request);
    } catch (error) {
      // A node that was away is asked again.
      if (
        await access.then(
          () => false,
          () => true,
        )
      )
        access = undefined;
      throw error;
    }
  };
}

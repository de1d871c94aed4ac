/** What nodes say first, and whether they can go on from there. */
import { MAX_AGENT_LENGTH, MAX_OWN_ADDRESSES } from "../wire/limits.ts";
import type { Hello, RoleProof } from "../wire/node-message.ts";
import { readPeerAddress } from "./address.ts";
import { type NetworkError, networkError } from "./errors.ts";
import { PROTOCOL_VERSION } from "./limits.ts";
import type { NetworkOptions } from "./options.ts";

export function agentOf({ agent = "ogpu" }: NetworkOptions): string {
  return agent.replace(/[^ -~]/g, "").slice(0, MAX_AGENT_LENGTH);
}

export function makeHello(
  options: NetworkOptions,
  proof: RoleProof | undefined,
  height: number,
  ownAddresses: readonly string[],
): Hello {
  const { chainId, genesis } = options;
  const usable = ownAddresses.filter((address) => readPeerAddress(address) !== undefined);
  const addresses = usable.slice(0, MAX_OWN_ADDRESSES);
  return { version: PROTOCOL_VERSION, chainId, genesis, proof, height, addresses, agent: agentOf(options) };
}

/** Why there is nothing to talk about with that peer. */
export function mismatch(peer: string, theirs: Hello, ours: NetworkOptions): NetworkError | undefined {
  if (theirs.version !== PROTOCOL_VERSION) {
    return networkError(
      "NETWORK_WRONG_VERSION",
      `the peer speaks version ${theirs.version} of the protocol, we speak ${PROTOCOL_VERSION}`,
      { peer, theirs: theirs.version, ours: PROTOCOL_VERSION },
    );
  }
  if (theirs.chainId !== ours.chainId) {
    return networkError("NETWORK_WRONG_CHAIN", `the peer is on chain ${theirs.chainId}, we are on ${ours.chainId}`, {
      peer,
      theirs: theirs.chainId,
      ours: ours.chainId,
    });
  }
  if (theirs.genesis !== ours.genesis) {
    return networkError("NETWORK_WRONG_GENESIS", `the peer's chain ${ours.chainId} began with another genesis block`, {
      peer,
      theirs: theirs.genesis,
      ours: ours.genesis,
    });
  }
  return undefined;
}

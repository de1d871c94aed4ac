/** Why a peer is refused or a network cannot start. Codes are stable once released. */
import { CodedError } from "../../base/errors.ts";

export type NetworkErrorCode =
  /** A multiaddr that cannot be used: not TCP, or without the peer's id where that is needed. */
  | "NETWORK_BAD_ADDRESS"
  /** A node key that is not 32 bytes of ed25519 seed. */
  | "NETWORK_BAD_KEY"
  /** None of the addresses to listen on could be opened. */
  | "NETWORK_CANNOT_LISTEN"
  /** The peer speaks another version of the protocol. */
  | "NETWORK_WRONG_VERSION"
  /** The peer is on another chain. */
  | "NETWORK_WRONG_CHAIN"
  /** The same chain id, but another genesis block. */
  | "NETWORK_WRONG_GENESIS"
  /** The peer says that it is a validator's, and its proof is false. */
  | "NETWORK_FALSE_ROLE"
  /** No place for another peer. */
  | "NETWORK_FULL"
  /** The peer misbehaved and is banned for a time. */
  | "NETWORK_BANNED"
  /** The peer sent something before its hello, a second hello, or no hello in time. */
  | "NETWORK_NO_HELLO"
  /** The peer sent nothing for too long, or stopped within a message. */
  | "NETWORK_SILENT"
  /** The peer does not take what is sent to it. */
  | "NETWORK_NOT_DRAINING"
  /** The connection or one of its streams ended. */
  | "NETWORK_CLOSED"
  /** The peer connected anew while its last connection was still open here. */
  | "NETWORK_REPLACED";

export type NetworkError = CodedError<NetworkErrorCode>;

export function networkError(
  code: NetworkErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): NetworkError {
  return new CodedError(code, message, data);
}

export function falseRole(peer: string): NetworkError {
  return networkError("NETWORK_FALSE_ROLE", "a false proof of being a validator", { peer });
}

export function cannotListen(listen: readonly string[], error: unknown): NetworkError {
  const text = error instanceof Error ? error.message : String(error);
  // libp2p gives advice to programmers first, then the stack of each cause.
  const reason = /\bE[A-Z]{4,}\b.*/.exec(text)?.[0] ?? text.split("\n")[0];
  return networkError("NETWORK_CANNOT_LISTEN", `cannot listen on ${listen.join(", ")}: ${reason}`, {
    listen,
    hint: "Another program may use that port, or this machine lacks that address: choose others with --p2p-port or --listen.",
  });
}

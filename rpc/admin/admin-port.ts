/** What operators may do to a running node. */
export interface AdminPort {
  nodeInfo(): object;
  peers(): readonly object[];
  /** Connects, and stays connected. Throws NETWORK_BAD_ADDRESS. */
  addPeer(address: string): void;
  /** In the form of --log-level. Throws LOG_LEVELS_INVALID. */
  setLogLevels(text: string): void;
}

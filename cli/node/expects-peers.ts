/** Whether a node without blocks waits for a first peer as long as it takes, or may be the first of its network. */
import type { NodeSettings } from "./node-settings.ts";

export type StartSettings = Pick<NodeSettings, "bootstrap" | "persistent" | "spec"> & {
  readonly key: Pick<NonNullable<NodeSettings["key"]>, "isDevelopment" | "signer"> | undefined;
};

export function expectsPeers({ bootstrap, persistent, spec, key }: StartSettings): boolean {
  if (bootstrap.length + persistent.length === 0) return false;
  if (key === undefined) return true;
  // Validators of a devnet name each other, and begin with nobody. One that is alone has nobody to wait for.
  return !key.isDevelopment && spec.validators.some(({ publicKey }) => publicKey !== key.signer.id);
}

/** What the RPC's threads are started with. Plain values: they cross threads. */
import type { StoreLimits } from "../../chain/store/limits.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import type { RpcAccess } from "../access.ts";
import type { BlobsSettings } from "../blobs.ts";
import type { RpcLimits } from "../limits.ts";
import type { SubmissionLanes } from "./submissions.ts";

/** Where the chain is. */
export interface ViewSettings {
  readonly spec: ChainSpec;
  /** The folder of the database, which the node has open. */
  readonly directory: string;
  readonly limits: RpcLimits;
}

export interface RpcSettings extends ViewSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly clientVersion: string;
  readonly access: RpcAccess;
  /** Undefined: there is no `/blobs`. */
  readonly blobs?: BlobsSettings;
}

/** What the thread itself is started with. */
export interface RpcThreadData extends RpcSettings {
  readonly submissions: SubmissionLanes;
}

const MIB = 1024 * 1024;

/** Each thread keeps a little of the state at hand; LevelDB's own cache is one for all. */
export const VIEW_LIMITS: Partial<StoreLimits> = {
  cachedAccounts: 20_000,
  cachedSlots: 20_000,
  cachedPageBytes: 8 * MIB,
  cachedCodeBytes: 4 * MIB,
};

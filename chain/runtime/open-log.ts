/**
 * Opens the log of consensus. A validator signs only over the log of all that it has signed. Where that is missing the
 * disk may have been lost, so the node follows, until its operator brings the log back or gives the validator a fresh key.
 */
import { isCoded } from "../../base/errors.ts";
import type { Signer } from "../consensus/crypto.ts";
import { ConsensusLog, type ConsensusLogOptions, type OpenedLog } from "../wal/consensus-log.ts";
import { decodeRecord, encodeRecord } from "../wire/log-record.ts";

export interface LogOptions {
  readonly folder: string;
  readonly chainId: bigint;
  readonly signer: Signer | undefined;
  /** The key has never signed on this chain: a log for it is made where there is none. */
  readonly isNewKey: boolean;
  readonly onFailure: (error: unknown) => void;
}

export interface SigningLog extends OpenedLog {
  /** Present if it may sign. */
  readonly signer: Signer | undefined;
  /** Why not, although there is a key. */
  readonly notSigning: string | undefined;
}

/** Throws the errors of ConsensusLog.open. */
export async function openLog(options: LogOptions): Promise<SigningLog> {
  const { signer, isNewKey } = options;
  if (signer === undefined || isNewKey) {
    return { ...(await openOrMake(options, signer)), signer, notSigning: undefined };
  }
  try {
    return { ...(await open(options, signer)), signer, notSigning: undefined };
  } catch (error) {
    // The log of a node that followed holds nothing that was signed.
    if (!isCoded(error, "WAL_MISSING", "WAL_OF_FOLLOWER")) throw error;
    const notSigning = "there is no record here of what this validator has signed";
    return { ...(await openOrMake(options, undefined)), signer: undefined, notSigning };
  }
}

function open(options: LogOptions, validator: Signer | undefined): Promise<OpenedLog> {
  const { folder, chainId, onFailure } = options;
  const settings: ConsensusLogOptions = {
    codec: { encode: encodeRecord, decode: decodeRecord },
    identity: { chainId, validator: validator?.id },
    onFailure,
  };
  return ConsensusLog.open(folder, settings);
}

async function openOrMake(options: LogOptions, validator: Signer | undefined): Promise<OpenedLog> {
  try {
    return await open(options, validator);
  } catch (error) {
    if (!isCoded(error, "WAL_MISSING", "WAL_OF_FOLLOWER")) throw error;
    await ConsensusLog.create(options.folder, { chainId: options.chainId, validator: validator?.id });
    return open(options, validator);
  }
}

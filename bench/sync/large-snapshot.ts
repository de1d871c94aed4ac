/** A large state in a store as one certified block, with what a peer needs to fetch it. */

import { bls } from "../../base/bls.ts";
import { bytesToHex, EMPTY_BYTES, hexToBytes, utf8 } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { sha256 } from "../../base/sha256.ts";
import { voteMessage } from "../../base/votes.ts";
import { type BlockHeader, hashHeader } from "../../chain/blocks/header.ts";
import { blsCrypto, blsSigner } from "../../chain/consensus/bls-crypto.ts";
import { certify, encodeCertificate } from "../../chain/consensus/certificate.ts";
import { makeValidatorSet } from "../../chain/consensus/validator-set.ts";
import { ChainStore } from "../../chain/store/chain-store.ts";
import { importState } from "../../chain/store/import-state.ts";
import type { ChainIdentity } from "../../chain/store/meta.ts";
import { addLeaves } from "../../chain/store/state-leaves.ts";
import { ANCESTORS } from "../../chain/sync/limits.ts";
import type { TrustOptions } from "../../chain/sync/seal-chain.ts";
import { EMPTY_PATRICIA_ROOT } from "../../vm/patricia-root.ts";
import { TreeBuilder } from "../../vm/tree/bulk.ts";
import { accountsInOrder } from "../state/large-state.ts";

const CHAIN_ID = 31_339n;
const HEIGHT = 10_000;
const START = 1_700_000_000;
const ZEROS = new Uint8Array(32);

export const IDENTITY: ChainIdentity = { chainId: CHAIN_ID, genesisHash: ZEROS };

const crypto = blsCrypto(bls);
const signers = Array.from({ length: 4 }, (_, i) =>
  blsSigner(bls, bls.privateKeyFromSeed(sha256(utf8(`snapshot ${i}`)))),
);
const validators = signers.map(({ id }) => ({ id, stake: 10n }));
const set = makeValidatorSet(validators);

/** A while after the snapshot. */
export const NOW: number = (START + HEIGHT) * 1000 + 60_000;

export function trust(): TrustOptions {
  return {
    chainId: CHAIN_ID,
    crypto,
    trustingPeriod: 365 * 86_400_000,
    maxSkew: 1_000,
    genesis: headerOf(0, ZEROS, ZEROS),
    validators,
  };
}

function headerOf(number: number, parentHash: Uint8Array, stateRoot: Uint8Array): BlockHeader {
  return {
    parentHash,
    coinbase: "0x00000000000000000000000000000000000000c0",
    stateRoot,
    transactionsRoot: EMPTY_PATRICIA_ROOT,
    receiptsRoot: EMPTY_PATRICIA_ROOT,
    logsBloom: new Uint8Array(256),
    number: BigInt(number),
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestamp: BigInt(START + number),
    extra: {
      epoch: 0,
      view: number,
      proposer: 0,
      milliseconds: 0,
      reservedGas: 0n,
      taskRoot: ZEROS,
      validatorSetHash: hexToBytes(set.hash),
      nextValidatorSetHash: EMPTY_BYTES,
      reveal: EMPTY_BYTES,
      parentCertificate: EMPTY_BYTES,
    },
    beacon: ZEROS,
    baseFeePerGas: 7n,
  };
}

function certificateOf(header: BlockHeader): Uint8Array {
  const content = {
    kind: "FINALIZE",
    epoch: 0,
    view: header.extra.view,
    hash: bytesToHex(hashHeader(header)),
  } as const;
  const votes = signers.map((signer) => ({
    ...content,
    validator: set.indexOf.get(signer.id) ?? 0,
    signature: signer.sign(voteMessage(CHAIN_ID, content)),
  }));
  const certificate = certify(votes, set, crypto);
  assert(certificate !== undefined, "votes make a certificate");
  return encodeCertificate(certificate);
}

/** A store with that many accounts. */
export async function openSnapshot(folder: string, accounts: number): Promise<ChainStore> {
  const builder = new TreeBuilder(() => {});
  for (const group of accountsInOrder(accounts)) addLeaves(builder, group);
  const { root } = builder.finish();
  const ancestors: BlockHeader[] = [];
  for (let number = HEIGHT - ANCESTORS; number < HEIGHT; number++) {
    const parent = ancestors.at(-1);
    ancestors.push(headerOf(number, parent === undefined ? ZEROS : hashHeader(parent), ZEROS));
  }
  const header = headerOf(HEIGHT, hashHeader(ancestors.at(-1) as BlockHeader), root);
  const store = await ChainStore.open(folder, { chain: IDENTITY, forImport: true });
  await importState(store, { items: accountsInOrder(accounts), header, certificate: certificateOf(header), ancestors });
  return store;
}

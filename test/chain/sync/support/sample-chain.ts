/** A chain in a store, with certificates and seals by real keys, whose state has accounts, storage and code. */
import { bigintToBytes, bytes32, bytesToHex, EMPTY_BYTES, type Hex, hexToBytes } from "../../../../base/bytes.ts";
import { assert } from "../../../../base/errors.ts";
import { keccak256 } from "../../../../base/keccak.ts";
import { type BlockHeader, encodeHeader, hashHeader } from "../../../../chain/blocks/header.ts";
import { nextValidatorsHash, nextValidatorsOf } from "../../../../chain/blocks/validators-codec.ts";
import { certify, encodeCertificate } from "../../../../chain/consensus/certificate.ts";
import { ChainStore } from "../../../../chain/store/chain-store.ts";
import type { FinalBlock } from "../../../../chain/store/write-block.ts";
import type { Offer, SealProof } from "../../../../chain/sync/messages.ts";
import type { TrustOptions } from "../../../../chain/sync/seal-chain.ts";
import { TOKEN_ADDRESS } from "../../../../vm/modules/addresses.ts";
import { type Account, type Address, EMPTY_CODE_HASH } from "../../../../vm/state/account.ts";
import type { StateChanges } from "../../../../vm/state/reader.ts";
import { blsKeys } from "../../../sim/bls-keys.ts";
import type { KeyMaker } from "../../../sim/sim-crypto.ts";
import { CHAIN_ID, type TestValidators, testValidators } from "../../consensus/support/validators.ts";
import { finalBlock } from "../../store/support/final-blocks.ts";

export const KEYS: KeyMaker = blsKeys();
export const GENESIS_TIME = 1_700_000_000_000;
export const DAY = 86_400_000;

/** Where the token module keeps the supply at genesis, which an audit compares with all balances. */
const GENESIS_SUPPLY_SLOT = bytesToHex(bytes32(2n));

const validatorsByEpoch = new Map<string, TestValidators>();

/** The validators of an epoch of some chain; making keys takes time. */
export function validatorsOf(chain: string, epoch: number): TestValidators {
  const name = `${chain} ${epoch}`;
  const made = validatorsByEpoch.get(name) ?? testValidators(KEYS, 4, name);
  validatorsByEpoch.set(name, made);
  return made;
}

export interface SampleOptions {
  readonly blocks: number;
  /** Heights of seals. */
  readonly seals?: readonly number[];
  readonly accounts?: number;
  /** Slots of one large contract. */
  readonly slots?: number;
  /** Contracts with code of their own. */
  readonly codes?: number;
  /** Who signs: another name gives other keys. */
  readonly signers?: string;
  /** Blocks without a certificate of their own. */
  readonly uncertified?: readonly number[];
}

export class SampleChain {
  readonly store: ChainStore;
  readonly #signers: string;
  #epoch = 0;

  private constructor(store: ChainStore, signers: string) {
    this.store = store;
    this.#signers = signers;
  }

  static async create(folder: string, options: SampleOptions): Promise<SampleChain> {
    const { signers = "honest", seals = [], uncertified = [] } = options;
    const store = await ChainStore.open(folder, { chain: { chainId: CHAIN_ID, genesisHash: keccak256(EMPTY_BYTES) } });
    const chain = new SampleChain(store, signers);
    await chain.append(genesisChanges(options));
    for (let height = 1; height <= options.blocks; height++) {
      await chain.append(blockChanges(height), {
        seal: seals.includes(height),
        certified: !uncertified.includes(height),
      });
    }
    return chain;
  }

  get genesis(): BlockHeader {
    return this.headerAt(0);
  }

  headerAt(height: number): BlockHeader {
    const found = this.store.header(height);
    assert(found !== undefined, "the chain has that block");
    return found.header;
  }

  offerAt(height: number): Offer {
    const certificate = this.store.certificate(height);
    assert(certificate !== undefined, "the block has a certificate");
    return { header: encodeHeader(this.headerAt(height)), certificate, bytes: 0 };
  }

  sealOf(epoch: number): SealProof {
    const seal = this.store.seal(epoch);
    assert(seal !== undefined, "the epoch has ended");
    const { header, certificate } = this.offerAt(seal.number);
    return { header, certificate, nextValidators: seal.nextValidators };
  }

  trust(changes: Partial<TrustOptions> = {}): TrustOptions {
    return {
      chainId: CHAIN_ID,
      crypto: KEYS.crypto,
      trustingPeriod: 14 * DAY,
      maxSkew: 500,
      genesis: this.genesis,
      validators: validatorsOf("honest", 0).stakes,
      ...changes,
    };
  }

  async append(
    changes: StateChanges,
    options: { readonly seal?: boolean; readonly certified?: boolean } = {},
  ): Promise<void> {
    const { seal = false, certified = true } = options;
    const { head } = this.store;
    const set = validatorsOf(this.#signers, this.#epoch);
    const next = seal ? nextValidatorsOf(validatorsOf(this.#signers, this.#epoch + 1).set) : undefined;
    const plain = finalBlock(head, this.store.state(), changes);
    const extra = {
      ...plain.header.extra,
      epoch: this.#epoch,
      validatorSetHash: hexToBytes(set.set.hash),
      nextValidatorSetHash: nextValidatorsHash(next),
    };
    const header = { ...plain.header, extra };
    const hash = hashHeader(header);
    const isCertified = head !== undefined && certified;
    const block: FinalBlock = {
      ...plain,
      header,
      hash,
      ...(isCertified && { certificate: certificateOf(set, this.#epoch, header.extra.view, bytesToHex(hash)) }),
      ...(next !== undefined && { nextValidators: next }),
    };
    await this.store.commit(block, { sync: false });
    if (seal) this.#epoch++;
  }
}

export function certificateOf(
  set: TestValidators,
  epoch: number,
  view: number,
  hash: Hex,
  signers: readonly number[] = [0, 1, 2],
): Uint8Array {
  const votes = signers.map((index) => set.vote(index, { kind: "FINALIZE", epoch, view, hash }));
  const certificate = certify(votes, set.set, KEYS.crypto);
  assert(certificate !== undefined, "votes make a certificate");
  return encodeCertificate(certificate);
}

export function addressAt(index: number): Address {
  return bytesToHex(keccak256(bytes32(BigInt(index))).subarray(12));
}

function codeAt(index: number): Uint8Array {
  return new Uint8Array(40 + index * 3).fill(index + 1);
}

function genesisChanges({ accounts = 60, slots = 40, codes = 3 }: SampleOptions): StateChanges {
  const map = new Map<Address, Account>();
  const code = new Map<Hex, Uint8Array>();
  const balance = 10n ** 18n;
  for (let i = 0; i < accounts; i++) map.set(addressAt(i), { nonce: BigInt(i), balance, codeHash: EMPTY_CODE_HASH });
  for (let i = 0; i < codes; i++) {
    const codeHash = bytesToHex(keccak256(codeAt(i)));
    code.set(codeHash, codeAt(i));
    map.set(addressAt(1_000_000 + i), { nonce: 1n, balance: 0n, codeHash });
  }
  const large = new Map<Hex, Uint8Array>();
  for (let i = 0; i < slots; i++) large.set(bytesToHex(bytes32(BigInt(i))), bigintToBytes(BigInt(i) * 77n + 1n));
  const supply = new Map<Hex, Uint8Array>([[GENESIS_SUPPLY_SLOT, bigintToBytes(balance * BigInt(accounts))]]);
  const storage = new Map([
    [addressAt(1_000_000), large],
    [TOKEN_ADDRESS, supply],
  ]);
  return { accounts: map, storage, code };
}

/** Something changes in every block; the sum of the balances does not. */
export function blockChanges(height: number): StateChanges {
  const account: Account = { nonce: BigInt(height + 1_000), balance: 10n ** 18n, codeHash: EMPTY_CODE_HASH };
  return { accounts: new Map([[addressAt(height % 3), account]]), storage: new Map(), code: new Map() };
}

/**
 * Our state in the shape that @ethereumjs/evm asks for. Its interface is asynchronous; ours is not: each method
 * answers with a settled promise.
 */
import type { AccountFields, StateManagerInterface } from "@ethereumjs/common";
import { Account as EvmAccount, type Address as EvmAddress, KECCAK256_NULL, KECCAK256_RLP } from "@ethereumjs/util";
import { bytesToHex, EMPTY_BYTES, type Hex, hexToBytes, stripLeadingZeros } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import { type Address, EMPTY_CODE_HASH } from "../state/account.ts";
import type { StateReader } from "../state/reader.ts";
import type { WorkingState } from "../state/working-state.ts";

const DONE: Promise<void> = Promise.resolve();
const NO_ACCOUNT: Promise<undefined> = Promise.resolve(undefined);

/** Any root that is not the empty one: the EVM asks only whether the storage is empty (EIP-7610). */
const SOME_STORAGE_ROOT = new Uint8Array(32).fill(0xff);

/** Looks for storage only when asked: the question is rare (contract creation) and not cheap. */
class LazyAccount extends EvmAccount {
  private readonly address: Address;
  private readonly state: StateReader;

  constructor(nonce: bigint, balance: bigint, codeHash: Uint8Array, address: Address, state: StateReader) {
    super(nonce, balance, KECCAK256_RLP, codeHash);
    this.address = address;
    this.state = state;
  }

  override get storageRoot(): Uint8Array {
    return this.state.hasStorage(this.address) ? SOME_STORAGE_ROOT : KECCAK256_RLP;
  }

  override set storageRoot(_root: Uint8Array) {
    // The constructor of the base class sets it; ours follows from the state.
  }
}

export class EvmStateManager implements StateManagerInterface {
  private state: WorkingState | undefined;
  private readonly marks: number[] = [];
  /** Code hashes are few and read often. */
  private readonly codeHashes = new Map<Hex, Uint8Array>([[EMPTY_CODE_HASH, KECCAK256_NULL]]);

  readonly originalStorageCache = {
    get: (address: EvmAddress, key: Uint8Array): Promise<Uint8Array> =>
      Promise.resolve(this.current.originalStorage(address.toString(), bytesToHex(key))),
    clear: (): void => {},
  };

  /** Starts a message on `state`. */
  bind(state: WorkingState): void {
    this.state = state;
    this.marks.length = 0;
  }

  private get current(): WorkingState {
    assert(this.state !== undefined, "the engine is bound to a state");
    return this.state;
  }

  getAccount(address: EvmAddress): Promise<EvmAccount | undefined> {
    const key = address.toString();
    const account = this.current.account(key);
    if (account === undefined) return NO_ACCOUNT;
    const { nonce, balance, codeHash } = account;
    return Promise.resolve(new LazyAccount(nonce, balance, this.codeHashBytes(codeHash), key, this.current));
  }

  private codeHashBytes(codeHash: Hex): Uint8Array {
    let bytes = this.codeHashes.get(codeHash);
    if (bytes === undefined) {
      bytes = hexToBytes(codeHash);
      if (this.codeHashes.size >= MAX_CODE_HASHES) this.codeHashes.clear();
      this.codeHashes.set(codeHash, bytes);
    }
    return bytes;
  }

  putAccount(address: EvmAddress, account?: EvmAccount): Promise<void> {
    const key = address.toString();
    if (account === undefined) this.current.setAccount(key, undefined);
    else {
      const { nonce, balance } = account;
      this.current.setAccount(key, { nonce, balance, codeHash: this.codeHashHex(account.codeHash) });
    }
    return DONE;
  }

  private codeHashHex(codeHash: Uint8Array): Hex {
    return codeHash === KECCAK256_NULL ? EMPTY_CODE_HASH : bytesToHex(codeHash);
  }

  deleteAccount(address: EvmAddress): Promise<void> {
    this.current.setAccount(address.toString(), undefined);
    return DONE;
  }

  modifyAccountFields(address: EvmAddress, fields: AccountFields): Promise<void> {
    const key = address.toString();
    const before = this.current.account(key);
    this.current.setAccount(key, {
      nonce: fields.nonce ?? before?.nonce ?? 0n,
      balance: fields.balance ?? before?.balance ?? 0n,
      codeHash: fields.codeHash == null ? (before?.codeHash ?? EMPTY_CODE_HASH) : this.codeHashHex(fields.codeHash),
    });
    return DONE;
  }

  putCode(address: EvmAddress, code: Uint8Array): Promise<void> {
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : bytesToHex(keccak256(code));
    this.current.putCode(codeHash, code);
    const key = address.toString();
    const before = this.current.account(key);
    this.current.setAccount(key, { nonce: before?.nonce ?? 0n, balance: before?.balance ?? 0n, codeHash });
    return DONE;
  }

  getCode(address: EvmAddress): Promise<Uint8Array> {
    const account = this.current.account(address.toString());
    return Promise.resolve(account === undefined ? EMPTY_BYTES : this.current.code(account.codeHash));
  }

  async getCodeSize(address: EvmAddress): Promise<number> {
    return (await this.getCode(address)).length;
  }

  getStorage(address: EvmAddress, key: Uint8Array): Promise<Uint8Array> {
    return Promise.resolve(this.current.storage(address.toString(), bytesToHex(key)));
  }

  putStorage(address: EvmAddress, key: Uint8Array, value: Uint8Array): Promise<void> {
    this.current.setStorage(address.toString(), bytesToHex(key), stripLeadingZeros(value));
    return DONE;
  }

  clearStorage(address: EvmAddress): Promise<void> {
    this.current.clearStorage(address.toString());
    return DONE;
  }

  checkpoint(): Promise<void> {
    this.marks.push(this.current.checkpoint());
    return DONE;
  }

  commit(): Promise<void> {
    assert(this.marks.pop() !== undefined, "a commit ends a checkpoint");
    return DONE;
  }

  revert(): Promise<void> {
    const mark = this.marks.pop();
    assert(mark !== undefined, "a revert ends a checkpoint");
    this.current.revert(mark);
    return DONE;
  }

  // The EVM itself never asks for these: roots are made after the block, copies by the engine's owner.
  getStateRoot(): Promise<Uint8Array> {
    return unsupported("getStateRoot");
  }

  setStateRoot(): Promise<void> {
    return unsupported("setStateRoot");
  }

  hasStateRoot(): Promise<boolean> {
    return unsupported("hasStateRoot");
  }

  clearCaches(): void {}

  shallowCopy(): StateManagerInterface {
    return unsupported("shallowCopy");
  }
}

const MAX_CODE_HASHES = 10_000;

function unsupported(method: string): never {
  throw new Error(`the EVM does not use ${method} of its state manager`);
}

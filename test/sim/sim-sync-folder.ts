/** What a node that catches up has fetched, on a simulated disk: a crash loses what was being written. */
import { bytesToHex, compareBytes } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { decodeHeader } from "../../chain/blocks/header.ts";
import { decodeAccount } from "../../chain/store/account-record.ts";
import type { ImportItem } from "../../chain/store/import-state.ts";
import type { FetchedChunk, TargetRecord } from "../../chain/sync/events.ts";
import { decodeLeaves } from "../../chain/sync/leaf-codec.ts";
import type { SyncFolder } from "../../chain/sync/sync-runner.ts";
import { codeHashesOf } from "../../chain/sync/verify-chunk.ts";
import { ACCOUNT_KEY_BYTES } from "../../vm/tree/keys.ts";
import type { Device } from "./device.ts";
import type { Lifetime } from "./lifetime.ts";

interface Fetched {
  readonly target: TargetRecord;
  headers: readonly Uint8Array[] | undefined;
  readonly chunks: FetchedChunk[];
  readonly codes: Uint8Array[];
}

export class SimSyncFolder {
  readonly #device: Device;
  #fetched: Fetched | undefined;

  constructor(device: Device) {
    this.#device = device;
  }

  wipe(): void {
    this.#fetched = undefined;
  }

  open(life: Lifetime): SyncFolder {
    const write = (land: (fetched: Fetched) => void): Promise<void> =>
      this.#write(life, () => this.#fetched && land(this.#fetched));
    return {
      begin: (target) =>
        this.#write(life, () => {
          this.#fetched = { target, headers: undefined, chunks: [], codes: [] };
        }),
      writeHeaders: (headers) =>
        write((fetched) => {
          fetched.headers = headers;
        }),
      writeChunk: (chunk) => write(({ chunks }) => chunks.push(chunk)),
      writeCode: (codes) => write((fetched) => fetched.codes.push(...codes)),
      remove: () => this.#write(life, () => this.wipe()),
      load: async () => {
        if (this.#fetched === undefined) return undefined;
        const { target, headers, codes } = this.#fetched;
        const chunks = this.#chunks().map(({ first, end, leaves }) => {
          const records = decodeLeaves(leaves);
          return { first, end, leaves: records.length, bytes: leaves.length, codeHashes: codeHashesOf(records) };
        });
        return { target, headers, chunks, codes: codes.map((code) => bytesToHex(keccak256(code))) };
      },
      items: () => this.#items(),
      headers: async () => (this.#fetched?.headers ?? []).map((header) => decodeHeader(header)),
    };
  }

  #write(life: Lifetime, land: () => void): Promise<void> {
    return new Promise((resolve) => {
      if (!life.isOver) this.#device.write(life, land, () => life.settle(resolve));
    });
  }

  #chunks(): FetchedChunk[] {
    return [...(this.#fetched?.chunks ?? [])].sort((a, b) => compareBytes(a.first, b.first));
  }

  async *#items(): AsyncGenerator<readonly ImportItem[]> {
    yield (this.#fetched?.codes ?? []).map((code) => ({ kind: "code", code }));
    for (const { leaves } of this.#chunks()) {
      yield decodeLeaves(leaves).map(({ key, value }): ImportItem => {
        if (key.length !== ACCOUNT_KEY_BYTES) return { kind: "slot", key, value };
        return { kind: "account", key, account: decodeAccount(value) };
      });
    }
  }
}

/** Validators of one process over a local network, each with its own folder. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bls } from "../../../../base/bls.ts";
import { bytesToHex } from "../../../../base/bytes.ts";
import { privateKeyToAddress } from "../../../../base/secp256k1.ts";
import { GWEI, OGPU } from "../../../../base/units.ts";
import { blsSigner } from "../../../../chain/consensus/bls-crypto.ts";
import type { Node } from "../../../../chain/runtime/node.ts";
import { type OpenNode, type OpenNodeOptions, openNode } from "../../../../chain/runtime/open-node.ts";
import type { ChainSpec } from "../../../../genesis/chain-spec.ts";
import { developmentValidatorKey, devnetSpec } from "../../../../genesis/development-validators.ts";
import type { Address } from "../../../../vm/state/account.ts";
import { signTransaction } from "../../../../vm/transaction/sign.ts";
import { LocalNetwork } from "./local-network.ts";

const RICH_KEY = new Uint8Array(32).fill(0x77);
export const RICH: Address = bytesToHex(privateKeyToAddress(RICH_KEY));
export const POOR: Address = `0x${"42".repeat(20)}`;

export function clusterSpec(validators: number, changes: Partial<ChainSpec["consensus"]> = {}): ChainSpec {
  const spec = devnetSpec(validators, bls);
  const rich = {
    note: "",
    nonce: 0n,
    code: new Uint8Array(0),
    storage: new Map(),
    address: RICH,
    balance: 1000n * OGPU,
  };
  return {
    ...spec,
    genesisTime: BigInt(Math.floor(Date.now() / 1000) - 60),
    block: { ...spec.block, intervalMilliseconds: 50 },
    consensus: { ...spec.consensus, heartbeatMilliseconds: 60_000, ...changes },
    accounts: [rich],
  };
}

export class Cluster {
  readonly spec: ChainSpec;
  readonly network: LocalNetwork = new LocalNetwork();
  readonly directory: string = mkdtempSync(join(tmpdir(), "ogpu-cluster-"));
  readonly failures: unknown[] = [];
  readonly running: Map<string, OpenNode> = new Map();
  #nonce = 0n;

  constructor(spec: ChainSpec) {
    this.spec = spec;
  }

  folder(name: string): string {
    return join(this.directory, name);
  }

  async validator(index: number, changes: Partial<OpenNodeOptions> = {}): Promise<OpenNode> {
    const signer = blsSigner(bls, developmentValidatorKey(index, bls));
    return this.open(`validator-${index}`, { signer, isNewKey: true, ...changes });
  }

  async open(name: string, changes: Partial<OpenNodeOptions> = {}): Promise<OpenNode> {
    const node = await openNode({
      spec: this.spec,
      directory: this.folder(name),
      coinbase: POOR,
      catchUp: false,
      snapshots: { interval: 4 },
      connect: this.network.factory(name, changes.signer !== undefined),
      onFailure: (error) => this.failures.push(error),
      ...changes,
    });
    this.running.set(name, node);
    return node;
  }

  async close(name: string): Promise<void> {
    await this.running.get(name)?.close();
    this.running.delete(name);
  }

  async dispose(): Promise<void> {
    for (const name of [...this.running.keys()]) await this.close(name);
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** A transfer of one wei. */
  transfer(): Uint8Array {
    return signTransaction(
      {
        type: 2,
        chainId: this.spec.chainId,
        nonce: this.#nonce++,
        maxFeePerGas: 100n * GWEI,
        maxPriorityFeePerGas: GWEI,
        gasLimit: 21_000n,
        to: POOR,
        value: 1n,
        data: new Uint8Array(0),
        accessList: [],
      },
      RICH_KEY,
    );
  }
}

/** Resolves when the node has a final block with the transaction. */
export async function included(node: Node, hash: Uint8Array): Promise<number> {
  for (;;) {
    const location = node.locate(hash);
    if (location !== undefined) return location.number;
    await new Promise<void>((resolve) => {
      const end = node.onBlock(() => {
        end();
        resolve();
      });
    });
  }
}

/** @ethereumjs/vm: runTx over its own state manager, from signed bytes. */
import { type Block, createBlock } from "@ethereumjs/block";
import { type Common, createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common";
import { Caches, MerkleStateManager } from "@ethereumjs/statemanager";
import { createTxFromRLP } from "@ethereumjs/tx";
import { createAddressFromString, Account as PeerAccount } from "@ethereumjs/util";
import { createVM, runTx, type VM } from "@ethereumjs/vm";
import { padLeft } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { recoverPublicKey } from "../../base/secp256k1.ts";
import type { Address } from "../../vm/state/account.ts";
import { BASE_FEE, CHAIN_ID, COINBASE, FUNDS, type Workload } from "./workload.ts";

/** `tuned`: its caches switched on, and native recovery and fast keccak handed to it. */
export type PeerSetup = "default" | "tuned";

export interface Peer {
  readonly name: string;
  /** All accounts as at the start. */
  reset(): Promise<void>;
  /** Runs the first transfers; returns how many. */
  run(transfers: number): Promise<number>;
  account(address: Address): Promise<{ readonly balance: bigint; readonly nonce: bigint }>;
}

function ecrecover(hash: Uint8Array, v: bigint, r: Uint8Array, s: Uint8Array, chainId?: bigint): Uint8Array {
  const parity = v < 27n ? v : chainId === undefined || v < 35n ? v - 27n : v - 35n - 2n * chainId;
  const key = recoverPublicKey(hash, padLeft(r, 32), padLeft(s, 32), parity === 0n ? 0 : 1);
  if (key === undefined) throw new Error("no key made this signature");
  return key;
}

function commonOf(setup: PeerSetup): Common {
  const customCrypto = setup === "tuned" ? { keccak256, ecrecover } : {};
  return createCustomCommon({ chainId: Number(CHAIN_ID) }, Mainnet, { hardfork: Hardfork.Cancun, customCrypto });
}

export async function createPeer(workload: Workload, setup: PeerSetup): Promise<Peer> {
  const common = commonOf(setup);
  const raws = workload.blocks.flat();
  const block: Block = createBlock(
    {
      header: {
        number: 1n,
        gasLimit: workload.gasLimit,
        baseFeePerGas: BASE_FEE,
        timestamp: 1_700_000_001n,
        coinbase: createAddressFromString(COINBASE),
      },
    },
    { common },
  );
  let vm: VM;
  return {
    name: `runTx ${setup}`,
    async reset() {
      const stateManager =
        setup === "tuned"
          ? new MerkleStateManager({ common, caches: new Caches() })
          : new MerkleStateManager({ common });
      await stateManager.checkpoint();
      for (const address of workload.addresses) {
        await stateManager.putAccount(createAddressFromString(address), new PeerAccount(0n, FUNDS));
      }
      await stateManager.commit();
      vm = await createVM({ common, stateManager });
    },
    async run(transfers) {
      for (const raw of raws.slice(0, transfers)) {
        const tx = createTxFromRLP(raw, { common });
        await runTx(vm, { tx, block, skipHardForkValidation: true });
      }
      return Math.min(transfers, raws.length);
    },
    async account(address) {
      const account = await vm.stateManager.getAccount(createAddressFromString(address));
      return { balance: account?.balance ?? 0n, nonce: account?.nonce ?? 0n };
    },
  };
}

/** What all whole nodes of a run share: the chain spec with its clients' accounts, and the senders of transactions. */
import { bytesToHex, type Hex, utf8 } from "../../base/bytes.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import { sha256 } from "../../base/sha256.ts";
import { hashHeader } from "../../chain/blocks/header.ts";
import type { ConsensusParameters } from "../../chain/consensus/parameters.ts";
import { buildGenesisBlock } from "../../chain/genesis-block.ts";
import type { ValidatorSource } from "../../chain/runtime/validator-source.ts";
import type { RecoveryResult } from "../../chain/senders/sender-pool.ts";
import type { FinalBlock } from "../../chain/store/write-block.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { networkSpec } from "../../genesis/networks.ts";
import type { Address } from "../../vm/state/account.ts";
import { TransactionError } from "../../vm/transaction/errors.ts";
import { recoverSender } from "../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";
import { type EpochPlan, WEIGHT_CAP_DIVISOR } from "./counter-app.ts";

const CLIENTS = 6;
const COIN = 10n ** 18n;

export interface ClientAccount {
  readonly address: Address;
  readonly privateKey: Uint8Array;
}

export interface LedgerWorld {
  readonly spec: ChainSpec;
  readonly genesis: FinalBlock;
  readonly accounts: readonly ClientAccount[];
  /** The script of the epochs. */
  readonly validators: ValidatorSource;
  recover(raws: readonly Uint8Array[]): readonly RecoveryResult[];
}

export function makeLedgerWorld(parameters: ConsensusParameters, plan: EpochPlan): LedgerWorld {
  const accounts = Array.from({ length: CLIENTS }, (_, index): ClientAccount => {
    const privateKey = sha256(utf8(`client ${index}`));
    return { privateKey, address: bytesToHex(privateKeyToAddress(privateKey)) };
  });
  const spec = simSpec(parameters, plan, accounts);
  const { header, executed } = buildGenesisBlock(spec);
  return {
    spec,
    genesis: { header, hash: hashHeader(header), executed },
    accounts,
    validators: {
      endsEpoch: ({ rootHeight, height }) => height - rootHeight >= plan.blocksPerEpoch,
      nextValidators: ({ epoch }) => plan.stakesOf(epoch + 1),
    },
    recover: recovery(),
  };
}

function simSpec(parameters: ConsensusParameters, plan: EpochPlan, accounts: readonly ClientAccount[]): ChainSpec {
  return {
    name: "simulated",
    chainId: parameters.chainId,
    development: true,
    fork: "osaka",
    genesisTime: 0n,
    block: {
      intervalMilliseconds: parameters.blockInterval,
      gasLimit: 30_000_000n,
      initialBaseFee: 10n ** 9n,
      maxTransactionBytes: 131_072,
      allowUnprotected: false,
    },
    consensus: {
      viewTimeoutMilliseconds: parameters.viewTimeout,
      viewTimeoutStepMilliseconds: parameters.viewTimeoutStep,
      viewTimeoutCapMilliseconds: parameters.viewTimeoutCap,
      heartbeatMilliseconds: parameters.heartbeat,
      resendMilliseconds: parameters.resendInterval,
      fetchMilliseconds: parameters.fetchInterval,
      maxSkewMilliseconds: parameters.maxSkew,
      maxUnfinalBlocks: parameters.maxUnfinal,
      weightCapDivisor: Number(WEIGHT_CAP_DIVISOR),
      epochBlocks: plan.blocksPerEpoch,
      trustingPeriodSeconds: 1_000_000,
    },
    modules: {
      ...networkSpec("devnet").modules,
      token: { cap: 21_000_000n * COIN, emission: { initialPerBlock: COIN / 20n, halvingBlocks: 10n } },
    },
    validators: plan.stakesOf(0).map(({ id, stake }, index) => ({
      publicKey: id,
      proofOfPossession: "0x",
      stake,
      operator: coinbaseOf(index),
    })),
    verifiers: [],
    accounts: accounts.map(({ address }) => ({
      address,
      note: "",
      balance: 1_000n * COIN,
      nonce: 0n,
      code: new Uint8Array(),
      storage: new Map(),
    })),
  };
}

export function coinbaseOf(index: number): Address {
  return bytesToHex(sha256(utf8(`coinbase ${index}`)).subarray(0, 20));
}

/** Every node recovers every sender; here the second one is told what the first one found. */
function recovery(): LedgerWorld["recover"] {
  const known = new Map<Hex, RecoveryResult>();
  const recoverOne = (raw: Uint8Array): RecoveryResult => {
    try {
      const transaction = decodeTransaction(raw);
      return { transaction, sender: recoverSender(transaction) };
    } catch (error) {
      if (error instanceof TransactionError) return error;
      throw error;
    }
  };
  return (raws) =>
    raws.map((raw) => {
      const name = bytesToHex(raw);
      const result = known.get(name) ?? recoverOne(raw);
      known.set(name, result);
      return result;
    });
}

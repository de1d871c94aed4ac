/**
 * The canonical hash of a chain spec. Notes, the order of accounts and validators, and the way amounts are written do not matter;
 * everything that the chain does by does. The genesis block carries it, so two networks that differ in one
 * parameter have different genesis hashes.
 */
import { compareBytes, type Hex, hexToBytes, utf8 } from "../base/bytes.ts";
import { keccak256 } from "../base/keccak.ts";
import { encodeRlp, type RlpItem, rlpOfInteger } from "../base/rlp.ts";
import type { ChainSpec, ConsensusSpec, GenesisAccount, GenesisValidator, ModuleParameters } from "./chain-spec.ts";

const DOMAIN = utf8("OpenGPU/CHAIN-SPEC/1");

export function specHash(spec: ChainSpec): Uint8Array {
  return keccak256(encodeRlp(specItem(spec)));
}

function specItem(spec: ChainSpec): RlpItem {
  const { block } = spec;
  return [
    DOMAIN,
    utf8(spec.name),
    rlpOfInteger(spec.chainId),
    utf8(spec.fork),
    rlpOfInteger(spec.genesisTime),
    [
      rlpOfInteger(BigInt(block.intervalMilliseconds)),
      rlpOfInteger(block.gasLimit),
      rlpOfInteger(block.initialBaseFee),
      rlpOfInteger(BigInt(block.maxTransactionBytes)),
      rlpOfInteger(block.allowUnprotected ? 1n : 0n),
    ],
    consensusItem(spec.consensus),
    moduleItems(spec.modules),
    [...spec.validators].sort((a, b) => compareHex(a.publicKey, b.publicKey)).map(validatorItem),
    [...spec.accounts].sort((a, b) => compareHex(a.address, b.address)).map(accountItem),
  ];
}

function consensusItem(consensus: ConsensusSpec): RlpItem {
  return [
    consensus.viewTimeoutMilliseconds,
    consensus.viewTimeoutStepMilliseconds,
    consensus.viewTimeoutCapMilliseconds,
    consensus.heartbeatMilliseconds,
    consensus.resendMilliseconds,
    consensus.fetchMilliseconds,
    consensus.maxSkewMilliseconds,
    consensus.maxUnfinalBlocks,
    consensus.weightCapDivisor,
    consensus.epochBlocks,
    consensus.trustingPeriodSeconds,
  ].map((value) => rlpOfInteger(BigInt(value)));
}

function validatorItem({ publicKey, proofOfPossession, stake, operator }: GenesisValidator): RlpItem {
  return [hexToBytes(publicKey), hexToBytes(proofOfPossession), rlpOfInteger(stake), hexToBytes(operator)];
}

/** One list per module: its name, then its parameters. Modules that come later are appended. */
function moduleItems({ token }: ModuleParameters): RlpItem {
  const { initialPerBlock, halvingBlocks } = token.emission;
  return [[utf8("token"), rlpOfInteger(token.cap), rlpOfInteger(initialPerBlock), rlpOfInteger(halvingBlocks)]];
}

function accountItem({ address, balance, nonce, code, storage }: GenesisAccount): RlpItem {
  const slots = [...storage].sort(([a], [b]) => compareHex(a, b)).map(([slot, value]) => [hexToBytes(slot), value]);
  return [hexToBytes(address), rlpOfInteger(balance), rlpOfInteger(nonce), code, slots];
}

function compareHex(a: Hex, b: Hex): number {
  return compareBytes(hexToBytes(a), hexToBytes(b));
}

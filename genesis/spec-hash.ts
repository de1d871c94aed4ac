/**
 * The canonical hash of a chain spec. Notes, the order of accounts, validators and verifiers, and the way amounts are written do not matter;
 * everything that the chain does by does. The genesis block carries it, so two networks that differ in one
 * parameter have different genesis hashes.
 */
import { compareBytes, type Hex, hexToBytes, utf8 } from "../base/bytes.ts";
import { keccak256 } from "../base/keccak.ts";
import { encodeRlp, type RlpItem, rlpOfInteger } from "../base/rlp.ts";
import type {
  ChainSpec,
  ConsensusSpec,
  GenesisAccount,
  GenesisValidator,
  GenesisVerifier,
  ModuleParameters,
} from "./chain-spec.ts";
import { PARAMETERS, parameterValue } from "./economy.ts";

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
    rlpOfInteger(spec.development ? 1n : 0n),
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
    ...verifierItems(spec.verifiers),
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

/** No item at all where there are none, as in specs from before there were any. */
function verifierItems(verifiers: readonly GenesisVerifier[]): readonly RlpItem[] {
  if (verifiers.length === 0) return [];
  const sorted = [...verifiers].sort((a, b) => compareHex(a.account, b.account));
  return [sorted.map(({ account, stake }) => [hexToBytes(account), rlpOfInteger(stake)])];
}

/** The token, then each parameter of the economy with its name. */
function moduleItems({ token, ...economy }: ModuleParameters): RlpItem {
  const { initialPerBlock, halvingBlocks } = token.emission;
  return [
    [utf8("token"), rlpOfInteger(token.cap), rlpOfInteger(initialPerBlock), rlpOfInteger(halvingBlocks)],
    ...PARAMETERS.map((parameter) => [utf8(parameter.name), rlpOfInteger(parameterValue(economy, parameter))]),
  ];
}

function accountItem({ address, balance, nonce, code, storage }: GenesisAccount): RlpItem {
  const slots = [...storage].sort(([a], [b]) => compareHex(a, b)).map(([slot, value]) => [hexToBytes(slot), value]);
  return [hexToBytes(address), rlpOfInteger(balance), rlpOfInteger(nonce), code, slots];
}

function compareHex(a: Hex, b: Hex): number {
  return compareBytes(hexToBytes(a), hexToBytes(b));
}

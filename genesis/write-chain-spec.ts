/** A chain spec as the JSON that `parseChainSpec` reads. */
import { checksumAddress } from "../base/address.ts";
import { bytes32, bytesToBigint, bytesToHex, hexToBytes } from "../base/bytes.ts";
import { amountText } from "./amount.ts";
import type { ChainSpec, GenesisAccount } from "./chain-spec.ts";
import { type EconomyParameters, PARAMETERS, parameterValue } from "./economy.ts";

export function chainSpecJson(spec: ChainSpec): object {
  const { block, modules } = spec;
  const { token, ...economy } = modules;
  const { cap, emission } = token;
  return {
    version: 1,
    name: spec.name,
    chainId: Number(spec.chainId),
    ...(spec.development && { development: true }),
    fork: spec.fork,
    genesisTime: Number(spec.genesisTime),
    block: { ...block, gasLimit: Number(block.gasLimit), initialBaseFee: amountText(block.initialBaseFee) },
    consensus: { ...spec.consensus },
    modules: {
      token: {
        cap: amountText(cap),
        emission: {
          initialPerBlock: amountText(emission.initialPerBlock),
          halvingBlocks: Number(emission.halvingBlocks),
        },
      },
      ...economyJson(economy),
    },
    validators: spec.validators.map(({ stake, operator, ...keys }) => ({
      ...keys,
      stake: amountText(stake),
      operator: checksumAddress(hexToBytes(operator)),
    })),
    ...(spec.verifiers.length > 0 && {
      verifiers: spec.verifiers.map(({ account, stake }) => ({
        account: checksumAddress(hexToBytes(account)),
        stake: amountText(stake),
      })),
    }),
    accounts: spec.accounts.map(accountJson),
  };
}

function economyJson(economy: EconomyParameters): object {
  const document: Record<string, Record<string, string | number>> = {};
  for (const parameter of PARAMETERS) {
    const { module, field, definition } = parameter;
    const value = parameterValue(economy, parameter);
    document[module] = {
      ...document[module],
      [field]: definition.unit === "amount" ? amountText(value) : Number(value),
    };
  }
  return document;
}

function accountJson({ address, note, balance, nonce, code, storage }: GenesisAccount): object {
  const hasCode = code.length > 0;
  const slots = [...storage].map(([slot, value]) => [slot, bytesToHex(bytes32(bytesToBigint(value)))]);
  return {
    address: checksumAddress(hexToBytes(address)),
    ...(note !== "" && { note }),
    ...(balance > 0n && { balance: amountText(balance) }),
    ...(nonce !== (hasCode ? 1n : 0n) && { nonce: Number(nonce) }),
    ...(hasCode && { code: bytesToHex(code) }),
    ...(slots.length > 0 && { storage: Object.fromEntries(slots) }),
  };
}

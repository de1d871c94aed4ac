import { crc32 } from "node:zlib";
import { hashHeader } from "../../chain/blocks/header.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { modulesOfSpec } from "../../vm/rules-of-spec.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { ADDRESS, INTEGER, type JsonSchema, mapOf, NULL, objectOf, QUANTITY } from "../schema.ts";

/** By their addresses, as EIP-7910 calls them. */
const PRECOMPILES: readonly string[] = (
  "ECREC SHA256 RIPEMD160 ID MODEXP BN254_ADD BN254_MUL BN254_PAIRING BLAKE2F KZG_POINT_EVALUATION BLS12_G1ADD " +
  "BLS12_G1MSM BLS12_G2ADD BLS12_G2MSM BLS12_PAIRING_CHECK BLS12_MAP_FP_TO_G1 BLS12_MAP_FP2_TO_G2"
).split(" ");
const P256_VERIFY = 0x100;

const CONFIG: JsonSchema = objectOf({
  activationTime: INTEGER,
  blobSchedule: objectOf({ baseFeeUpdateFraction: INTEGER, max: INTEGER, target: INTEGER }),
  chainId: QUANTITY,
  forkId: { type: "string", pattern: "^0x[0-9a-f]{8}$" },
  precompiles: mapOf(ADDRESS),
  systemContracts: mapOf(ADDRESS),
});

const RESULT: JsonSchema = objectOf({ current: CONFIG, next: NULL, last: NULL });

/** It never changes, and building genesis takes a while. */
const configs = new WeakMap<ChainSpec, Promise<object>>();

function configOf(spec: ChainSpec): Promise<object> {
  const known = configs.get(spec) ?? makeConfig(spec);
  configs.set(spec, known);
  return known;
}

async function makeConfig(spec: ChainSpec): Promise<object> {
  // Loaded when somebody asks: the EVM is 25 MB of memory that the RPC's thread does without otherwise (measured).
  const { buildGenesisBlock } = await import("../../chain/genesis-block.ts");
  const { precompilesOf } = await import("../../vm/evm/interpreter/precompiles/precompiles.ts");
  const genesis = hashHeader(buildGenesisBlock(spec).header);
  const precompiles = [...precompilesOf(spec.fork).keys()].map((address) => [precompileName(Number(address)), address]);
  return {
    activationTime: Number(spec.genesisTime),
    // There are no blobs.
    blobSchedule: { baseFeeUpdateFraction: 0, max: 0, target: 0 },
    chainId: quantityText(spec.chainId),
    // EIP-2124, of a chain that has had one fork: genesis.
    forkId: `0x${crc32(genesis).toString(16).padStart(8, "0")}`,
    precompiles: Object.fromEntries(precompiles),
    systemContracts: Object.fromEntries(modulesOfSpec(spec).map(({ name, address }) => [moduleName(name), address])),
  };
}

function precompileName(number: number): string {
  return number === P256_VERIFY ? "P256VERIFY" : (PRECOMPILES[number - 1] ?? `PRECOMPILE_${number}`);
}

function moduleName(name: string): string {
  return `OGPU_${name.toUpperCase().replaceAll("-", "_")}`;
}

export const ethConfig: RpcMethod = defineMethod({
  name: "eth_config",
  summary:
    "The rules of Ethereum that the chain follows, its precompiles and, as system contracts, its native modules (EIP-7910).",
  result: RESULT,
  parameters: [],
  run: async ({ chain }) => ({ current: await configOf(chain.spec), next: null, last: null }),
});

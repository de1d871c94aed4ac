/** From JSON to answers. What a node leaves out or adds is its business; quantities become bigints where we know them. */
import type {
  Finality,
  FinalityCertificate,
  LightClientProof,
  LockedIn,
  NodeStatus,
  Peer,
  RecentBlock,
  Supply,
  ValidatorWeight,
} from "./answers.ts";

type Json<Value> = { readonly [Name in keyof Value]: Value[Name] extends bigint ? string : Value[Name] };

interface WeightJson extends Omit<ValidatorWeight, "weight"> {
  readonly weight: string;
}

export interface StatusJson extends Omit<NodeStatus, "chainId" | "head" | "oldestBlock"> {
  readonly chainId: string;
  readonly head: Json<NodeStatus["head"]>;
  readonly oldestBlock: string;
}

export function readStatus({ chainId, head, oldestBlock, ...rest }: StatusJson): NodeStatus {
  return {
    ...rest,
    chainId: Number(chainId),
    head: { ...head, number: BigInt(head.number) },
    oldestBlock: BigInt(oldestBlock),
  };
}

export function readWeights(validators: readonly WeightJson[]): readonly ValidatorWeight[] {
  return validators.map(({ weight, ...rest }) => ({ ...rest, weight: BigInt(weight) }));
}

interface CertificateJson
  extends Omit<FinalityCertificate, "blockNumber" | "signers" | "signedWeight" | "totalWeight"> {
  readonly blockNumber: string | null;
  readonly signers: readonly WeightJson[];
  readonly signedWeight: string;
  readonly totalWeight: string;
}

export interface FinalityJson extends Omit<Finality, "blockNumber" | "certificate"> {
  readonly blockNumber: string;
  readonly certificate: CertificateJson | null;
}

export function readFinality({ blockNumber, blockHash, certificate }: FinalityJson): Finality {
  return { blockNumber: BigInt(blockNumber), blockHash, certificate: certificate && readCertificate(certificate) };
}

function readCertificate(certificate: CertificateJson): FinalityCertificate {
  const { blockNumber, signers, signedWeight, totalWeight, ...rest } = certificate;
  return {
    ...rest,
    blockNumber: blockNumber === null ? null : BigInt(blockNumber),
    signers: readWeights(signers),
    signedWeight: BigInt(signedWeight),
    totalWeight: BigInt(totalWeight),
  };
}

interface SealJson extends Omit<LightClientProof["seals"][number], "nextValidators"> {
  readonly nextValidators: readonly WeightJson[];
}

export interface LightClientProofJson
  extends Omit<LightClientProof, "blockNumber" | "validators" | "nextValidators" | "seals"> {
  readonly blockNumber: string;
  readonly validators: readonly WeightJson[];
  readonly nextValidators?: readonly WeightJson[];
  readonly seals: readonly SealJson[];
}

export function readLightClientProof(proof: LightClientProofJson): LightClientProof {
  const { blockNumber, validators, nextValidators, seals, ...rest } = proof;
  return {
    ...rest,
    blockNumber: BigInt(blockNumber),
    validators: readWeights(validators),
    ...(nextValidators !== undefined && { nextValidators: readWeights(nextValidators) }),
    seals: seals.map((seal) => ({ ...seal, nextValidators: readWeights(seal.nextValidators) })),
  };
}

export interface SupplyJson extends Omit<Json<Supply>, "locked"> {
  readonly locked: Readonly<Record<LockedIn, string>>;
}

export function readSupply({ total, genesis, minted, burned, cap, locked }: SupplyJson): Supply {
  const amounts = Object.entries(locked).map(([where, amount]) => [where, BigInt(amount)]);
  return {
    ...{ total: BigInt(total), genesis: BigInt(genesis), minted: BigInt(minted), burned: BigInt(burned) },
    cap: BigInt(cap),
    locked: Object.fromEntries(amounts) as Supply["locked"],
  };
}

export function readPeer({ id, height }: Json<Peer>): Peer {
  return { id, height: BigInt(height) };
}

export type RecentBlockJson = Json<RecentBlock>;

export function readRecentBlock(block: RecentBlockJson): RecentBlock {
  return {
    ...block,
    number: BigInt(block.number),
    gasUsed: BigInt(block.gasUsed),
    gasLimit: BigInt(block.gasLimit),
    baseFeePerGas: BigInt(block.baseFeePerGas),
    signedWeight: BigInt(block.signedWeight),
    totalWeight: BigInt(block.totalWeight),
  };
}

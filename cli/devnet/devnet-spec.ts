/** The chain spec of a devnet: one that ships or a file, with validators whose keys everybody knows. */
import { bls } from "../../base/bls.ts";
import { bytesToHex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { OGPU } from "../../base/units.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { developmentValidatorKey, developmentValidators } from "../../genesis/development-validators.ts";
import { verifyParameters } from "../../genesis/verify-parameters.ts";
import { chainSpecJson } from "../../genesis/write-chain-spec.ts";
import { testAccount } from "../../rpc/development/test-accounts.ts";
import { readSpec } from "../spec-file.ts";
import { VERIFIER_ACCOUNTS } from "./provider-processes.ts";

export interface SpecChoice {
  /** A file. Those that ship allocate and mint all that their cap allows: nothing is left for validators' stakes. */
  readonly spec: string | undefined;
  readonly validators: number | undefined;
}

export const DEFAULT_VALIDATORS = 4;

/** Enough that a seat is never more than a small part of it. */
const VERIFIER_STAKE = 1_000n * OGPU;

/** As long as may be: that old keys leak is no worry where everybody has them. */
const TRUSTING_SECONDS = 31_536_000;

/** Of a new chain. `now` in milliseconds. Throws DEVNET_SPEC_UNFIT. */
export async function newDevnetSpec({ spec: name, validators }: SpecChoice, now: number): Promise<ChainSpec> {
  const template = await readSpec(name ?? "devnet");
  const spec = withValidators(template, validators);
  refuseUnfit(spec);
  if (name !== undefined) return spec;
  // Genesis is old enough that the first block, the heartbeat's, comes at once and shows that the validators agree, and
  // young enough to be trusted by whoever catches up.
  const verifiers = VERIFIER_ACCOUNTS.map((index) => ({ account: testAccount(index).address, stake: VERIFIER_STAKE }));
  const genesisTime = BigInt(Math.floor((now - spec.consensus.heartbeatMilliseconds) / 1000) - 1);
  return { ...spec, genesisTime, verifiers, consensus: { ...spec.consensus, trustingPeriodSeconds: TRUSTING_SECONDS } };
}

/** Throws DEVNET_OTHER_CHAIN if what was asked for is not the chain that the folder has. */
export async function checkSameSpec(kept: ChainSpec, choice: SpecChoice, directory: string): Promise<void> {
  const wanted = choice.spec === undefined ? kept : await readSpec(choice.spec);
  const asked = withValidators(
    wanted,
    choice.validators ?? (choice.spec === undefined ? undefined : kept.validators.length),
  );
  if (JSON.stringify(chainSpecJson(asked)) === JSON.stringify(chainSpecJson(kept))) return;
  throw new CodedError(
    "DEVNET_OTHER_CHAIN",
    `${directory} has a chain of ${kept.validators.length} validators, "${kept.name}"`,
    {
      directory,
      hint: "Leave out --spec and --validators to go on with it, choose another --data-dir, or start over with --fresh.",
    },
  );
}

function withValidators(spec: ChainSpec, count: number | undefined): ChainSpec {
  const has = spec.validators.length;
  if (has > 0 && (count ?? has) === has && isDevelopment(spec)) return spec;
  const { minSelfStake } = spec.modules.staking;
  const made = developmentValidators(count ?? DEFAULT_VALIDATORS, bls);
  return {
    ...spec,
    validators: made.map((each) => (each.stake < minSelfStake ? { ...each, stake: minSelfStake } : each)),
  };
}

/** The spec was valid: what is wrong now is wrong with the development validators in it. */
function refuseUnfit(spec: ChainSpec): void {
  const problems = verifyParameters(spec);
  if (problems.length === 0) return;
  const lines = problems.map(({ path, message }) => `  ${path}: ${message}`);
  const text = [`"${spec.name}" cannot have ${spec.validators.length} development validators:`, ...lines].join("\n");
  throw new CodedError("DEVNET_SPEC_UNFIT", text, {
    problems,
    hint: "Make a spec with room for their stakes: ogpu genesis create <file> --name <name> --chain-id <id>",
  });
}

function isDevelopment({ validators }: ChainSpec): boolean {
  return validators.every(({ publicKey }, index) => {
    return bytesToHex(bls.publicKeyOf(developmentValidatorKey(index, bls)).bytes) === publicKey;
  });
}

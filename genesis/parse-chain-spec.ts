/**
 * Reads a chain spec from JSON. Strict: every field is known and right, or all that is wrong with the form is told at
 * once, and when the form is right, all that is wrong with the parameters.
 */
import { parseAddress } from "../base/address.ts";
import { BLS_PUBLIC_KEY_LENGTH, BLS_SIGNATURE_LENGTH } from "../base/bls-types.ts";
import { bytesToHex, type Hex, hexToBytes, stripLeadingZeros } from "../base/bytes.ts";
import { CodedError } from "../base/errors.ts";
import { amount } from "./amount.ts";
import {
  type BlockParameters,
  type ChainSpec,
  type ConsensusSpec,
  type GenesisAccount,
  type GenesisValidator,
  type GenesisVerifier,
  MAX_SPEC_VALIDATORS,
  MAX_SPEC_VERIFIERS,
  type ModuleParameters,
  SPEC_FORKS,
  type TokenSpec,
} from "./chain-spec.ts";
import { ECONOMY, type EconomyParameters, type ParameterDefinition } from "./economy.ts";
import type { EmissionSchedule } from "./emission.ts";
import {
  bigInteger,
  boolean,
  constant,
  described,
  dictionary,
  INVALID,
  ignored,
  integer,
  type JsonSchema,
  list,
  mapped,
  object,
  oneOf,
  optional,
  type Problem,
  type Shape,
  text,
} from "./shape.ts";
import { MAX_CODE_BYTES, verifyParameters } from "./verify-parameters.ts";

/** The form of the document. A reader that meets another form must not guess. */
const FORMAT_VERSION = 1;
/** What JSON numbers hold exactly. */
const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
/** A spec is read as a whole; larger states are imported as snapshots. */
const MAX_ACCOUNTS = 100_000;

/** Text without control characters. */
const ONE_LINE = /^\P{Cc}*$/u;
const WORD = { pattern: /^0x[0-9a-f]{64}$/, wanted: "32 bytes of lower-case hexadecimal" };

const address: Shape<Hex> = mapped(
  text(/^0x[0-9a-fA-F]{40}$/, 42, "an address: 0x and 40 hexadecimal digits"),
  (value) => bytesToHex(parseAddress(value)),
);

const code: Shape<Uint8Array> = mapped(
  text(/^0x([0-9a-f]{2})*$/, 2 + 2 * MAX_CODE_BYTES, `at most ${MAX_CODE_BYTES} bytes of lower-case hexadecimal`),
  hexToBytes,
);

function hexBytes(length: number): Shape<Hex> {
  const pattern = new RegExp(`^0x[0-9a-f]{${2 * length}}$`);
  return mapped(text(pattern, 2 + 2 * length, `${length} bytes of lower-case hexadecimal`), (value) => value as Hex);
}

const word: Shape<Uint8Array> = mapped(text(WORD.pattern, 66, WORD.wanted), (value) =>
  stripLeadingZeros(hexToBytes(value)),
);

interface AccountDocument extends Omit<GenesisAccount, "nonce" | "storage"> {
  readonly nonce: bigint | undefined;
  readonly storage: ReadonlyMap<string, Uint8Array>;
}

const account: Shape<GenesisAccount> = mapped(
  object<AccountDocument>({
    address,
    note: described("Who or what this is, for people.", optional(text(ONE_LINE, 200, "a short line of text"), "")),
    balance: optional(amount(), 0n),
    nonce: described(
      "Default 1 for an account with code (EIP-161), else 0.",
      optional<bigint | undefined>(bigInteger(0, MAX_INTEGER), undefined),
    ),
    code: described("The contract's code, which has no constructor run.", optional(code, new Uint8Array(0))),
    storage: described("Slots to values, both of 32 bytes.", optional(dictionary(WORD, word), new Map())),
  }),
  ({ nonce, storage, ...rest }) => ({
    ...rest,
    nonce: nonce ?? (rest.code.length > 0 ? 1n : 0n),
    storage: storage as ReadonlyMap<Hex, Uint8Array>,
  }),
);

const token: Shape<TokenSpec> = object<TokenSpec>({
  cap: described("The most that will ever exist.", amount()),
  emission: object<EmissionSchedule>({
    initialPerBlock: described("Minted for each block before the first halving.", amount()),
    halvingBlocks: bigInteger(1, MAX_INTEGER),
  }),
});

/** Each module of the table, each field by its unit. What else must hold is verify-economy.ts's. */
const economy: { readonly [Module in keyof EconomyParameters]: Shape<EconomyParameters[Module]> } = Object.fromEntries(
  Object.entries(ECONOMY).map(([module, fields]) => [module, object(parameterShapes(fields))]),
) as never;

function parameterShapes(fields: Readonly<Record<string, ParameterDefinition>>): Record<string, Shape<bigint>> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, { unit, about, most }]) => {
      if (unit === "share") return [field, described(`${about} In millionths.`, bigInteger(0, Number(most)))];
      return [field, described(about, unit === "amount" ? amount() : bigInteger(0, Number(most)))];
    }),
  );
}

const block: Shape<BlockParameters> = object<BlockParameters>({
  intervalMilliseconds: described("The pace that the proposers aim at.", integer(1, MAX_INTEGER)),
  gasLimit: bigInteger(1, MAX_INTEGER),
  initialBaseFee: described("Per gas, of the genesis block; it moves with every block after it.", amount()),
  maxTransactionBytes: integer(1, MAX_INTEGER),
  allowUnprotected: described("Whether transactions without a chain id are accepted.", boolean()),
});

const milliseconds: Shape<number> = integer(1, MAX_INTEGER);

const consensus: Shape<ConsensusSpec> = object<ConsensusSpec>({
  viewTimeoutMilliseconds: described("How long a view is given, after a final one.", milliseconds),
  viewTimeoutStepMilliseconds: described("What each further view adds to that.", integer(0, MAX_INTEGER)),
  viewTimeoutCapMilliseconds: described("The most that it grows to.", milliseconds),
  heartbeatMilliseconds: described("An idle chain makes a block so long after the last one.", milliseconds),
  resendMilliseconds: described("Without progress for so long, everything is sent again.", milliseconds),
  fetchMilliseconds: described("What is missing is asked for again after so long.", milliseconds),
  maxSkewMilliseconds: described("How far a block may be ahead of the local clock.", integer(0, MAX_INTEGER)),
  maxUnfinalBlocks: described(
    "So many blocks above the final one, only empty ones are valid.",
    integer(1, MAX_INTEGER),
  ),
  weightCapDivisor: described("No validator weighs more than one part in so many.", integer(1, MAX_INTEGER)),
  epochBlocks: described("Blocks of an epoch, its seal included.", integer(1, MAX_INTEGER)),
  trustingPeriodSeconds: described("How long a light client may rely on a header.", integer(1, MAX_INTEGER)),
});

const validator: Shape<GenesisValidator> = object<GenesisValidator>({
  publicKey: described("A BLS public key.", hexBytes(BLS_PUBLIC_KEY_LENGTH)),
  proofOfPossession: described("Made by the private key of that public key.", hexBytes(BLS_SIGNATURE_LENGTH)),
  stake: described("What genesis makes and stakes for its operator.", amount()),
  operator: described("The account that acts for the validator.", address),
});

const verifier: Shape<GenesisVerifier> = object<GenesisVerifier>({
  account: described("Who checks.", address),
  stake: described("What genesis makes and stakes for it.", amount()),
});

interface SpecDocument extends ChainSpec {
  readonly $schema: undefined;
  readonly version: typeof FORMAT_VERSION;
}

const chainSpec: Shape<SpecDocument> = object<SpecDocument>({
  $schema: ignored(text(ONE_LINE, 500, "the address of the schema")),
  version: described("The form of this document.", constant(FORMAT_VERSION)),
  name: text(/^[a-z][a-z0-9-]{0,31}$/, 32, "a name of lower-case letters, digits and dashes"),
  chainId: described("Signed into every transaction (EIP-155).", bigInteger(1, MAX_INTEGER)),
  development: described("A chain to play with, whose keys everybody knows.", optional(boolean(), false)),
  fork: described("The rules of Ethereum that the chain starts with.", oneOf(SPEC_FORKS)),
  genesisTime: described("Seconds since 1970 of the genesis block.", bigInteger(0, MAX_INTEGER)),
  block,
  consensus: described("How the validators come to agree.", consensus),
  modules: described("The parameters of the native modules, by name.", object<ModuleParameters>({ token, ...economy })),
  validators: described(
    "The validators of the first epoch; none until a launch.",
    list(validator, MAX_SPEC_VALIDATORS),
  ),
  verifiers: described(
    "Who can be drawn in the first epoch to check work.",
    optional(list(verifier, MAX_SPEC_VERIFIERS), []),
  ),
  accounts: described("The accounts that exist before the first block.", list(account, MAX_ACCOUNTS)),
});

/** The content of chain-spec.schema.json. */
export const chainSpecSchema: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "OpenGPU chain spec",
  ...chainSpec.schema,
};

export type SpecErrorCode = "SPEC_INVALID";

/** Throws SPEC_INVALID with every problem of the form, or else of the parameters, in `data.problems`. */
export function parseChainSpec(json: unknown): ChainSpec {
  const problems: Problem[] = [];
  const read = chainSpec.read(json, "$", (path, message) => problems.push({ path, message }));
  if (read === INVALID) throw specInvalid(problems);
  const { $schema: _schema, version: _version, ...spec } = read;
  const violations = verifyParameters(spec);
  if (violations.length > 0) throw specInvalid(violations);
  return spec;
}

/** Enough to mend a file by; a file of nonsense does not need a line for each of its bytes. */
const MAX_TOLD = 20;

function specInvalid(problems: readonly Problem[]): CodedError<SpecErrorCode> {
  const lines = problems.slice(0, MAX_TOLD).map(({ path, message }) => `  ${path}: ${message}`);
  if (problems.length > MAX_TOLD) lines.push(`  and ${problems.length - MAX_TOLD} more`);
  return new CodedError("SPEC_INVALID", ["the chain spec is not valid:", ...lines].join("\n"), { problems });
}

import { writeFile } from "node:fs/promises";
import { parseAddress } from "../../base/address.ts";
import type { Bls } from "../../base/bls-types.ts";
import { bytesToHex } from "../../base/bytes.ts";
import { formatOgpu, parseOgpu } from "../../base/units.ts";
import type { ChainSpec, ConsensusSpec, GenesisAccount, GenesisValidator } from "../../genesis/chain-spec.ts";
import { NETWORK_NAMES } from "../../genesis/networks.ts";
import { chainSpecSchema, parseChainSpec } from "../../genesis/parse-chain-spec.ts";
import { verifyValidators } from "../../genesis/verify-validators.ts";
import { chainSpecJson } from "../../genesis/write-chain-spec.ts";
import { type Command, type CommandGroup, defineCommand, type ExitCode } from "../command.ts";
import { readValue, usageError } from "../failure.ts";
import type { SpecFacts } from "../spec-facts.ts";
import { readSpec } from "../spec-file.ts";
import { factTable } from "../table.ts";
import { writeNewFile } from "../write-new-file.ts";

const SPEC_ARGUMENT = { name: "spec", description: `a file, or one of ${NETWORK_NAMES.join(", ")}` } as const;

const create: Command = defineCommand({
  name: "create",
  summary: "Write a chain spec for a network of your own",
  details: [
    "Starts from a network that ships with the node and changes what you name. --allocate replaces its accounts. Views get longer where blocks do.",
    "For a network of several people, each of them makes a key and a proof of it (ogpu keys new, ogpu keys proof), and " +
      "one collects the proofs with --validator. The accounts are then those of --allocate alone: everybody has the keys " +
      "of a devnet's. All run the same file.",
  ].join("\n"),
  args: [{ name: "file", description: "where the spec goes" }],
  options: {
    like: {
      type: "string",
      placeholder: "spec",
      description: "what to start from: a network or a file",
      default: "devnet",
    },
    name: { type: "string", placeholder: "name", description: "the network's name", required: true },
    chainId: {
      type: "integer",
      placeholder: "id",
      description: "the chain id, of no other network",
      min: 1,
      required: true,
    },
    genesisTime: {
      type: "integer",
      placeholder: "seconds",
      description: "when the chain starts, since 1970; default now",
    },
    blockInterval: { type: "integer", placeholder: "ms", description: "milliseconds between blocks" },
    validators: {
      type: "integer",
      placeholder: "n",
      description: "so many development validators, WHOSE KEYS EVERYBODY KNOWS",
      min: 0,
    },
    validator: {
      type: "list",
      placeholder: "proof[=oGPU]",
      description: "a validator: the file that ogpu keys proof wrote, and its stake if it is not --stake",
    },
    stake: {
      type: "string",
      placeholder: "oGPU",
      description: "what genesis makes and stakes for each --validator",
      default: "100",
    },
    gasLimit: { type: "integer", placeholder: "gas", description: "gas of one block" },
    allocate: { type: "list", placeholder: "address=oGPU", description: "an account and what it has" },
    force: { type: "flag", description: "write over an existing file" },
  },
  examples: [
    {
      command: "ogpu genesis create my.json --name my-net --chain-id 777001 --allocate 0x7099...79C8=1000",
      description: "one account, everything else as on the devnet",
    },
    {
      command:
        "ogpu genesis create my.json --name my-net --chain-id 777001 --validator v1.proof --validator v2.proof --allocate 0x7099...79C8=1000",
      description: "a network of two validators, each with a key of its own",
    },
  ],
  async run({ args, options }, { report }): Promise<ExitCode> {
    const file = args[0] as string;
    const template = await readSpec(options.like);
    const { blockInterval, gasLimit, genesisTime, validator, allocate } = options;
    const draft: ChainSpec = {
      ...template,
      name: options.name,
      chainId: BigInt(options.chainId),
      genesisTime: BigInt(genesisTime ?? Math.floor(Date.now() / 1000)),
      block: {
        ...template.block,
        ...(blockInterval !== undefined && { intervalMilliseconds: blockInterval }),
        ...(gasLimit !== undefined && { gasLimit: BigInt(gasLimit) }),
      },
      consensus: pacedAt(blockInterval ?? template.block.intervalMilliseconds, template.consensus),
      validators: await validatorsOf(options, template),
      // The accounts of a network for development are everybody's.
      accounts: allocate.length + validator.length > 0 ? allocate.map(allocation) : template.accounts,
    };
    const json = chainSpecJson(draft);
    const spec = parseChainSpec(json);
    const text = `${JSON.stringify(json, null, 2)}\n`;
    if (options.force) await writeFile(file, text);
    else await writeNewFile(file, text, "Choose another name, or write over it with --force.");
    const facts = await factsOf(spec);
    report({ file, ...facts }, `${file}: chain ${spec.chainId}, genesis ${facts.genesisHash}`);
    return 0;
  },
});

/** Consensus for blocks that far apart: a view has to outlast the wait for its block. */
function pacedAt(interval: number, consensus: ConsensusSpec): ConsensusSpec {
  const viewTimeoutMilliseconds = Math.max(consensus.viewTimeoutMilliseconds, 3 * interval);
  return {
    ...consensus,
    viewTimeoutMilliseconds,
    viewTimeoutCapMilliseconds: Math.max(consensus.viewTimeoutCapMilliseconds, 3 * viewTimeoutMilliseconds),
    heartbeatMilliseconds: Math.max(consensus.heartbeatMilliseconds, interval),
  };
}

function allocation(text: string): GenesisAccount {
  const [address = "", amount, ...rest] = text.split("=");
  if (amount === undefined || rest.length > 0) {
    throw usageError(`--allocate ${text}: write address=amount`, "See: ogpu genesis create --help");
  }
  const read = <Value>(reader: (part: string) => Value, part: string): Value =>
    readValue("--allocate", text, "ogpu genesis create", () => reader(part));
  const balance = read(parseOgpu, amount);
  return {
    address: bytesToHex(read(parseAddress, address)),
    note: "",
    balance,
    nonce: 0n,
    code: new Uint8Array(0),
    storage: new Map(),
  };
}

const check: Command = defineCommand({
  name: "check",
  summary: "Say what is wrong with a chain spec, or what it adds up to",
  args: [SPEC_ARGUMENT],
  examples: [{ command: "ogpu genesis check mainnet", description: "a network that ships with the node" }],
  async run({ args }, { report }): Promise<ExitCode> {
    const spec = await readSpec(args[0] as string);
    if (spec.validators.length > 0) verifyValidators(spec, await blsEngine());
    const facts = await factsOf(spec);
    report({ valid: true, ...facts }, describe(spec, facts));
    return 0;
  },
});

const hash: Command = defineCommand({
  name: "hash",
  summary: "Print the hash and the state root of the genesis block",
  args: [SPEC_ARGUMENT],
  examples: [{ command: "ogpu genesis hash testnet", description: "to compare with what others have" }],
  async run({ args }, { report }): Promise<ExitCode> {
    const { genesisHash, stateRoot } = await factsOf(await readSpec(args[0] as string));
    report(
      { genesisHash, stateRoot },
      factTable([
        ["genesis hash", genesisHash],
        ["state root", stateRoot],
      ]),
    );
    return 0;
  },
});

const schema: Command = defineCommand({
  name: "schema",
  summary: "Print the JSON Schema of chain specs, for editors and other tools",
  run(_input, { report }) {
    report(chainSpecSchema, JSON.stringify(chainSpecSchema, null, 2));
    return 0;
  },
});

/** Loaded when asked for, as what follows: other commands start without it. */
async function blsEngine(): Promise<Bls> {
  return (await import("../../base/bls.ts")).bls;
}

async function validatorsOf(
  options: { readonly validators: number | undefined; readonly validator: readonly string[]; readonly stake: string },
  template: ChainSpec,
): Promise<readonly GenesisValidator[]> {
  const { validators: count, validator: proofs } = options;
  if (proofs.length === 0) return count === undefined ? template.validators : developmentValidators(count);
  if (count !== undefined) {
    throw usageError("--validators and --validator both say who validates", "See: ogpu genesis create --help");
  }
  const stake = readValue("--stake", options.stake, "ogpu genesis create", parseOgpu);
  const [{ validatorOf }, bls] = await Promise.all([import("./genesis-validators.ts"), blsEngine()]);
  return Promise.all(proofs.map((proof) => validatorOf(proof, stake, bls)));
}

async function developmentValidators(count: number): Promise<readonly GenesisValidator[]> {
  const module = await import("../../genesis/development-validators.ts");
  return module.developmentValidators(count, await blsEngine());
}

/** Building the genesis state needs half the node. */
async function factsOf(spec: ChainSpec): Promise<SpecFacts> {
  return (await import("../spec-facts.ts")).factsOf(spec);
}

function describe(spec: ChainSpec, { supply, genesisHash, stateRoot, accounts }: SpecFacts): string {
  const { emission } = spec.modules.token;
  const years = (Number(emission.halvingBlocks) * spec.block.intervalMilliseconds) / (365.25 * 24 * 3_600_000);
  const ogpu = (wei: bigint): string => `${formatOgpu(wei)} oGPU`;
  return factTable([
    ["chain", `${spec.name}, id ${spec.chainId}, rules of ${spec.fork}`],
    ["genesis hash", genesisHash],
    ["state root", stateRoot],
    ["accounts", String(accounts)],
    ["validators", validatorsText(spec.validators)],
    ["blocks", `every ${spec.block.intervalMilliseconds} ms, ${spec.block.gasLimit} gas`],
    [
      "emission",
      `${ogpu(emission.initialPerBlock)} per block, halved every ${emission.halvingBlocks} blocks (${years.toFixed(1)} years)`,
    ],
    ["allocated", ogpu(supply.allocated)],
    ["to be emitted", ogpu(supply.toBeEmitted)],
    ["cap", ogpu(supply.cap)],
    ["remainder", `${ogpu(supply.remainder)} that will never exist`],
  ]);
}

function validatorsText(validators: readonly GenesisValidator[]): string {
  if (validators.length === 0) return "none: the network is not launched";
  const stake = validators.reduce((sum, validator) => sum + validator.stake, 0n);
  return `${validators.length}, with ${formatOgpu(stake)} oGPU`;
}

export const genesis: CommandGroup = {
  name: "genesis",
  summary: "Make and check chain specs",
  commands: [create, check, hash, schema],
};

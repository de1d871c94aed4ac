import { parseAddress } from "../../base/address.ts";
import { bytesToHex } from "../../base/bytes.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import { TEST_ACCOUNTS } from "../../rpc/development/test-mnemonic.ts";
import { type Command, defineCommand, type ExitCode, type OptionSpecs, type OptionValues } from "../command.ts";
import { readValue, usageError } from "../failure.ts";
import { readKeyFile } from "../key-file.ts";
import { nodeOptions } from "../node/node-options.ts";
import type { ValidatorKey } from "../node/validator-key.ts";
import { passwordFileOption } from "./keys-options.ts";

const PATH = "ogpu validator";
const HINT = `See: ${PATH} --help`;

const keyOptions = {
  key: {
    type: "string",
    placeholder: "file",
    description: "the validator's keystore (see: ogpu keys new --help)",
    env: "OGPU_VALIDATOR_KEY",
  },
  passwordFile: { ...passwordFileOption, env: "OGPU_PASSWORD_FILE" },
  devKey: {
    type: "integer",
    placeholder: "n",
    description: "instead of --key: a development validator, whose key everybody knows",
  },
  newKey: {
    type: "flag",
    description: "this key has never signed on this chain: begin the log of what it signs; of no effect afterwards",
  },
  verifierKeyFile: {
    type: "string",
    placeholder: "file",
    description: "also run a verifier in this process: the private key of its account (see: ogpu verifier --help)",
  },
  verifyFrom: {
    type: "list",
    placeholder: "n",
    description: "also run a verifier with a test account of the devnet",
  },
  coinbase: {
    type: "string",
    placeholder: "address",
    description: "receives the tips of its blocks; its operator's account in the chain spec unless told",
  },
} as const satisfies OptionSpecs;

const options = { ...keyOptions, ...nodeOptions } as const;

export const validator: Command = defineCommand({
  name: "validator",
  summary: "Run a validator: a node that signs blocks",
  details: [
    "Everything it signs is in the log of its data folder before anybody hears of it. NEVER run two validators with one " +
      "key, and never with a copy of a folder: two different signatures for one view are punished.",
    "Where that log is missing the node only follows, and says what to do. To move a validator to another machine, " +
      "see: ogpu keys guard-export --help",
  ].join("\n"),
  options,
  examples: [
    {
      command: "ogpu validator --network testnet --key keys/v1.json --password-file v1.pass --new-key",
      description: "the first start with a new key",
    },
    {
      command: "ogpu validator --network testnet --key keys/v1.json --password-file v1.pass",
      description: "every other start",
    },
    {
      command:
        "ogpu validator --spec my.json --dev-key 0 --new-key --data-dir data/v0 --p2p-port 30001 --rpc-port 9001",
      description: "a development validator of one's own network",
    },
  ],
  async run({ options }, context): Promise<ExitCode> {
    // As in `ogpu node`: the signal first, the program only now.
    const { signal } = context;
    const [{ runNode }, { nodeSettings, specOf }] = await Promise.all([
      import("../node/run-node.ts"),
      import("../node/node-settings.ts"),
    ]);
    const spec = await specOf(options, PATH);
    const key = await keyOf(options, spec);
    await runNode(nodeSettings(options, PATH, spec, key, await verifiersOf(options)), signal, context);
    return 0;
  },
});

async function verifiersOf(given: OptionValues<typeof keyOptions>): Promise<readonly Uint8Array[]> {
  const keys: Uint8Array[] = [];
  for (const word of given.verifyFrom) {
    const number = Number(word);
    if (!/^\d{1,2}$/.test(word) || number >= TEST_ACCOUNTS) {
      throw usageError(`--verify-from ${word}: expected a number from 0 to ${TEST_ACCOUNTS - 1}`, HINT);
    }
    keys.push((await import("../../rpc/development/test-accounts.ts")).testAccount(number).privateKey);
  }
  if (given.verifierKeyFile !== undefined) keys.push(await readKeyFile(given.verifierKeyFile));
  return keys;
}

async function keyOf(options: OptionValues<typeof keyOptions>, spec: ChainSpec): Promise<ValidatorKey> {
  const { key, passwordFile, devKey, newKey, coinbase } = options;
  if ((key === undefined) === (devKey === undefined)) {
    throw usageError("with which key? give either --key <file> or --dev-key <n>", HINT);
  }
  const { developmentSigner, keystoreSigner, operatorOf } = await import("../node/validator-key.ts");
  const signer = key === undefined ? developmentSigner(spec, devKey ?? 0) : await keystoreSigner(key, passwordFile);
  const given = coinbase === undefined ? undefined : bytesToHex(readValue("--coinbase", coinbase, PATH, parseAddress));
  const receiver = given ?? operatorOf(spec, signer);
  if (receiver !== undefined)
    return { signer, isDevelopment: key === undefined, isNew: newKey, keystore: key, coinbase: receiver };
  throw usageError("who receives the tips? this key is not in the chain spec, so give --coinbase <address>", HINT);
}

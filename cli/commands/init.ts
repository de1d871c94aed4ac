import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { parseOgpu } from "../../base/units.ts";
import type { Command, CommandGroup, ExitCode } from "../command.ts";
import { defineCommand } from "../command.ts";
import { DEFAULT_P2P_PORT, DEFAULT_RPC_PORT } from "../defaults.ts";
import { type Question, type Questions, questionsFor } from "../init/questions.ts";
import { flagName } from "../parse.ts";
import { factTable } from "../table.ts";
import { isWebAddress } from "../web-address.ts";

const VALIDATOR_PATH = "ogpu init validator";

const yesOption = { type: "flag", short: "y", description: "ask nothing: options, and the usual answers" } as const;

const validator: Command = defineCommand({
  name: "validator",
  summary: "Make keys, a password and a service for a new validator",
  details:
    "Asks a few questions and writes everything into one folder: the validator's key, its operator's account, the password " +
    "that opens both (readable by you alone; keep a copy of it and of the keys elsewhere), the proof for registration, and " +
    "a systemd unit. Then it says what is left to do. Nothing is sent anywhere, and nothing is ever written over.",
  args: [{ name: "folder", description: "where everything goes", optional: true }],
  options: {
    network: { type: "string", placeholder: "name or file", description: "the network, or its chain spec" },
    bootstrap: { type: "string", placeholder: "multiaddr", description: "a node to begin with" },
    p2pPort: { type: "string", placeholder: "port", description: "for other nodes" },
    rpcPort: { type: "string", placeholder: "port", description: "for RPC, on this machine alone" },
    yes: yesOption,
  },
  examples: [
    { command: "ogpu init validator", description: "asks" },
    { command: "ogpu init validator /srv/ogpu --network my.json --yes", description: "asks nothing" },
  ],
  async run({ args, options }, { report, style }): Promise<ExitCode> {
    const questions = questionsFor(VALIDATOR_PATH, options.yes);
    const answers = await validatorAnswers(questions, args[0], options).finally(() => questions.close());
    const { createAccount, createValidatorKey, prepareFolder, writeService } = await import("../init/prepare.ts");
    const prepared = await prepareFolder(answers.folder);
    const operator = await createAccount(prepared, "operator");
    const key = await createValidatorKey(prepared, operator.address);
    const words = validatorWords(prepared.folder, prepared.passwordFile, key.file, operator.address, answers);
    const service = await writeService(prepared.folder, "ogpu-validator", "OpenGPU validator", words);
    const { folder, passwordFile } = prepared;
    const sender = shownWords(["--key", operator.file, "--password-file", passwordFile]);
    const launch = answers.isLaunched ? "" : `, which refuses until ${answers.network} has validators`;
    report(
      { folder, passwordFile, operator, validator: key, service, command: ["ogpu", ...words] },
      [
        factTable([
          ["folder", folder],
          ["operator", operator.address],
          ["public key", key.publicKey],
        ]),
        style.bold("What is left to do"),
        `1. Copy ${join(folder, "keys")} and ${passwordFile} to a safe place.`,
        `2. Send oGPU to the operator, ${operator.address}.`,
        `3. Start the node${launch}:\n     ogpu ${shownWords(words)}\n   or as a service:\n     sudo systemctl enable --now ${shownWords([service])}`,
        `4. When it has caught up, register:\n     ogpu stake register ${shownWords([key.proofFile])} --amount <oGPU> ${sender}`,
        "5. Later starts need no --new-key; left in, it does no harm.",
      ].join("\n"),
    );
    return 0;
  },
});

interface ValidatorAnswers {
  readonly folder: string;
  readonly network: string;
  readonly bootstrap: string;
  readonly p2pPort: string;
  readonly rpcPort: string;
  readonly isLaunched: boolean;
}

async function validatorAnswers(
  { ask }: Questions,
  folder: string | undefined,
  given: { readonly [Name in "network" | "bootstrap" | "p2pPort" | "rpcPort"]: string | undefined },
): Promise<ValidatorAnswers> {
  const [{ readSpec }, { parsePeerAddress }] = await Promise.all([
    import("../spec-file.ts"),
    import("../../chain/network/address.ts"),
  ]);
  const answers = {
    folder: await ask({
      ...{ text: "Where should keys and chain go?", option: "<folder>", given: folder, usual: "./ogpu-validator" },
    }),
    network: await ask({
      ...{ text: "Which network: a name, or the file of its chain spec?", option: "--network" },
      ...{ given: given.network, usual: "testnet" },
    }),
    bootstrap: await ask({
      ...{ text: "The address of a node to begin with (none if this is the first)?", option: "--bootstrap" },
      ...{ given: given.bootstrap, usual: "none" },
      check: (answer) => answer === "none" || parsePeerAddress(answer),
    }),
    p2pPort: await ask({ ...portQuestion("other nodes", "--p2p-port", given.p2pPort, DEFAULT_P2P_PORT) }),
    rpcPort: await ask({ ...portQuestion("RPC", "--rpc-port", given.rpcPort, DEFAULT_RPC_PORT) }),
  };
  const { validators } = await readSpec(answers.network);
  return { ...answers, isLaunched: validators.length > 0 };
}

function portQuestion(
  subject: string,
  option: string,
  given: string | undefined,
  usual: number,
): { text: string; option: string; given: string | undefined; usual: string; check: (answer: string) => void } {
  const check = (answer: string): void => {
    const port = /^\d{1,5}$/.test(answer) ? Number(answer) : 0;
    if (port < 1 || port > 65_535) throw new Error("a port is a number from 1 to 65535");
  };
  return { text: `Which port for ${subject}?`, option, given, usual: String(usual), check };
}

function validatorWords(
  folder: string,
  passwordFile: string,
  key: string,
  operator: string,
  { network, bootstrap, p2pPort, rpcPort }: ValidatorAnswers,
): readonly string[] {
  const isName = ["devnet", "testnet", "mainnet"].includes(network);
  return [
    // The service runs in another folder than this command.
    ...["validator", ...(isName ? ["--network", network] : ["--spec", resolve(network)])],
    ...["--data-dir", join(folder, "data")],
    ...["--key", key, "--password-file", passwordFile, "--coinbase", operator, "--new-key"],
    ...["--p2p-port", p2pPort, "--rpc-port", rpcPort],
    ...(bootstrap === "none" ? [] : ["--bootstrap", bootstrap]),
  ];
}

/** As a shell takes them. */
function shownWords(words: readonly string[]): string {
  const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word))).join(" ");
}

const PROVIDER_PATH = "ogpu init provider";

const provider: Command = defineCommand({
  name: "provider",
  summary: "Make an account, a password and a service for a new provider",
  details:
    "Asks a few questions and writes everything into one folder: the provider's account, the password that opens it (readable " +
    "by you alone; keep copies elsewhere) and a systemd unit. Then it says what is left to do. Nothing is sent anywhere.",
  args: [{ name: "folder", description: "where everything goes", optional: true }],
  options: {
    rpc: { type: "string", placeholder: "url", description: "the node that it works with" },
    name: { type: "string", placeholder: "text", description: "what it is called on the chain" },
    device: { type: "string", placeholder: "device", description: "cpu, wasm or cuda:N" },
    collateral: { type: "string", placeholder: "oGPU", description: "what it puts at stake" },
    endpoint: { type: "string", placeholder: "url", description: "where others reach it" },
    region: { type: "string", placeholder: "text", description: "where it is, such as eu-west" },
    minPrice: { type: "string", placeholder: "oGPU", description: "for 10^9 compute units, at least" },
    yes: yesOption,
  },
  examples: [
    { command: "ogpu init provider", description: "asks" },
    {
      command: "ogpu init provider /srv/gpu --device cuda:0 --endpoint https://gpu.example.org --yes",
      description: "asks nothing",
    },
  ],
  async run({ args, options }, { report, style }): Promise<ExitCode> {
    const questions = questionsFor(PROVIDER_PATH, options.yes);
    const answers = await providerAnswers(questions, args[0], options).finally(() => questions.close());
    const { createAccount, prepareFolder, writeService } = await import("../init/prepare.ts");
    const { folder, ...prepared } = await prepareFolder(answers.folder);
    const account = await createAccount({ folder, ...prepared }, "provider");
    const words = [
      ...["provider", "--rpc", answers.rpc, "--key", account.file, "--password-file", prepared.passwordFile],
      ...["--data-dir", join(folder, "data"), "--name", answers.name, "--device", answers.device],
      ...["--collateral", answers.collateral, "--region", answers.region, "--min-price", answers.minPrice],
      ...["--host", "0.0.0.0", "--endpoint", answers.endpoint],
    ];
    const service = await writeService(folder, "ogpu-provider", "OpenGPU provider", words);
    report(
      { folder, passwordFile: prepared.passwordFile, account, service, command: ["ogpu", ...words] },
      [
        factTable([
          ["folder", folder],
          ["account", account.address],
        ]),
        style.bold("What is left to do"),
        `1. Copy ${join(folder, "keys")} and ${prepared.passwordFile} to a safe place.`,
        `2. Send ${answers.collateral} oGPU and something for fees and locks to ${account.address}.`,
        "3. See that every device computes to the bit: ogpu compute selftest",
        `4. Let others reach ${answers.endpoint}, and start it:\n     ogpu ${shownWords(words)}\n   or as a service:\n     sudo systemctl enable --now ${shownWords([service])}`,
      ].join("\n"),
    );
    return 0;
  },
});

type ProviderAnswers = Readonly<
  Record<"folder" | "rpc" | "name" | "device" | "collateral" | "endpoint" | "region" | "minPrice", string>
>;

async function providerAnswers(
  { ask }: Questions,
  folder: string | undefined,
  given: { readonly [Name in Exclude<keyof ProviderAnswers, "folder">]: string | undefined },
): Promise<ProviderAnswers> {
  const [card] = (await import("../../compute/device/find-devices.ts")).findDevices().devices.slice(1);
  const asked = (
    name: Exclude<keyof ProviderAnswers, "folder">,
    text: string,
    usual: string,
    check?: Question["check"],
  ) => ask({ text, option: `--${flagName(name)}`, given: given[name], usual, ...(check && { check }) });
  return {
    folder: await ask({
      text: "Where should its keys and data go?",
      option: "<folder>",
      given: folder,
      usual: "./ogpu-provider",
    }),
    rpc: await asked("rpc", "Which node does it work with?", `http://127.0.0.1:${DEFAULT_RPC_PORT}`, webAddress),
    name: await asked("name", "What is it called on the chain?", "provider"),
    device: await asked(
      "device",
      "Which device: cpu, wasm or cuda:N?",
      card === undefined ? "cpu" : "cuda:0",
      deviceName,
    ),
    collateral: await asked("collateral", "How much oGPU does it put at stake?", "100", parseOgpu),
    endpoint: await asked("endpoint", "Where do others reach it?", `http://${hostname()}:8560`, webAddress),
    region: await asked("region", "Where is it?", "anywhere"),
    minPrice: await asked("minPrice", "What should 10^9 compute units earn at least, in oGPU?", "0", parseOgpu),
  };
}

function webAddress(answer: string): void {
  if (!isWebAddress(answer)) throw new Error("an address is written like http://127.0.0.1:8545");
}

function deviceName(answer: string): void {
  if (!/^(cpu|wasm|cuda:\d{1,3})$/.test(answer)) throw new Error("a device is cpu, wasm or cuda:0, cuda:1 and so on");
}

export const init: CommandGroup = {
  name: "init",
  summary: "Prepare this machine for a validator or a provider, step by step",
  commands: [validator, provider],
};

import { checksumAddress } from "../../base/address.ts";
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import { formatOgpu, parseOgpu } from "../../base/units.ts";
import { type Command, type CommandGroup, defineCommand, type ExitCode } from "../command.ts";
import { readValue } from "../failure.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { callModule, readModule } from "../modules/module-commands.ts";
import { namedAccount, ofOption } from "../modules/named-account.ts";
import { dateText } from "../modules/standing-commands.ts";
import { factTable } from "../table.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";

const options = { ...senderOptions, rpc: rpcOption } as const;

const show: Command = defineCommand({
  name: "show",
  summary: "Show what an account has in the trust lock, and what of it stands behind jobs",
  details:
    "Clients, racers and bidders put money behind their promises (docs/spec/trust-lock.md). What is not lost comes back into the " +
    "lock, where the next promise takes it from; ogpu lock unlock takes it out.",
  options: { of: ofOption, ...options },
  examples: [{ command: "ogpu lock show --from 0", description: "of a test account" }],
  async run({ options: given }, { report }): Promise<ExitCode> {
    const account = await namedAccount(given, "ogpu lock show");
    const [[total, free, allocated, unlocking], [amounts, dues]] = await Promise.all([
      readModule(given.rpc, "trustLock", "accountOf", [account]),
      readModule(given.rpc, "trustLock", "unlocksOf", [account]),
    ]);
    const unlocks = amounts.map((amount, index) => ({ amount, due: dues[index] ?? 0n }));
    const text = factTable([
      ["account", checksumAddress(hexToBytes(account))],
      ["locked", `${formatOgpu(total)} oGPU`],
      ["free", `${formatOgpu(free)} oGPU`],
      ["behind jobs", `${formatOgpu(allocated)} oGPU`],
      ...unlocks.map(({ amount, due }) => {
        return [
          "leaving",
          `${formatOgpu(amount)} oGPU, can be claimed from ${dateText(due)} on: ogpu lock claim`,
        ] as const;
      }),
    ]);
    report({ account, total, free, allocated, unlocking, unlocks }, text);
    return 0;
  },
});

const unlock: Command = defineCommand({
  name: "unlock",
  summary: "Begin to take free money out of the trust lock; it can be claimed after a delay",
  options: {
    amount: { type: "string", placeholder: "oGPU", description: "how much, such as 12.5 (default: all that is free)" },
    ...options,
  },
  examples: [{ command: "ogpu lock unlock --from 0", description: "all that stands behind no job" }],
  async run({ options: given }, context): Promise<ExitCode> {
    const path = "ogpu lock unlock";
    const key = await senderKey(given, path);
    const account = bytesToHex(privateKeyToAddress(key));
    const amount =
      given.amount === undefined
        ? (await readModule(given.rpc, "trustLock", "accountOf", [account]))[1]
        : readValue("--amount", given.amount, path, parseOgpu);
    const done = `${formatOgpu(amount)} oGPU are leaving; see when they are due: ogpu lock show`;
    const order = { module: "trustLock", functionName: "unlock", args: [amount], done } as const;
    return callModule(given.rpc, key, order, context);
  },
});

const claim: Command = defineCommand({
  name: "claim",
  summary: "Take what has left the trust lock",
  options,
  examples: [{ command: "ogpu lock claim --from 0", description: "all that is due" }],
  async run({ options: given }, context): Promise<ExitCode> {
    const order = {
      module: "trustLock",
      functionName: "withdraw",
      args: [],
      done: "all that was due is paid",
    } as const;
    return callModule(given.rpc, await senderKey(given, "ogpu lock claim"), order, context);
  },
});

export const lock: CommandGroup = {
  name: "lock",
  summary: "See and take back the money that stands behind jobs",
  commands: [show, unlock, claim],
};

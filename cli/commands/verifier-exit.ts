import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { callModule } from "../modules/module-commands.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";

const options = { ...senderOptions, rpc: rpcOption } as const;

export const verifierExit: Command = defineCommand({
  name: "exit",
  summary: "Leave for good: it is not drawn any more, and all its stake leaves",
  details:
    "It cannot be taken back. Seats that it has, or still gets in this epoch, are its to answer: let it run, or start it again, " +
    "until the epoch is over and its rounds are decided. Then ogpu verifier claim pays what is due, and the last claim ends " +
    "the registration.",
  options,
  examples: [{ command: "ogpu verifier exit --key verifier.json", description: "all of it" }],
  async run({ options: given }, context): Promise<ExitCode> {
    const done = "leaving. Let it run until its rounds are decided; see when the stake is due: ogpu verifier status";
    const order = { module: "verifiers", functionName: "exit", args: [], done } as const;
    return callModule(given.rpc, await senderKey(given, "ogpu verifier exit"), order, context);
  },
});

export const verifierUnjail: Command = defineCommand({
  name: "unjail",
  summary: "Be drawn again after a jail, which silence leads to, when its time is over",
  options,
  examples: [{ command: "ogpu verifier unjail --key verifier.json", description: "when ogpu verifier status says so" }],
  async run({ options: given }, context): Promise<ExitCode> {
    const done = "out of jail: it is drawn from the next epoch on";
    const order = { module: "verifiers", functionName: "unjail", args: [], done } as const;
    return callModule(given.rpc, await senderKey(given, "ogpu verifier unjail"), order, context);
  },
});

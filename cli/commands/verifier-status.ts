import { checksumAddress } from "../../base/address.ts";
import { hexToBytes } from "../../base/bytes.ts";
import { formatOgpu } from "../../base/units.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { readModule } from "../modules/module-commands.ts";
import { namedAccount, ofOption } from "../modules/named-account.ts";
import { dateText, leavingFacts, STANDING_STATUS } from "../modules/standing-commands.ts";
import { factTable } from "../table.ts";
import { senderOptions } from "../transaction-sender.ts";

export const verifierStatus: Command = defineCommand({
  name: "status",
  summary: "Show a verifier: whether it is drawn, its stake, what is frozen or leaving",
  options: { of: ofOption, ...senderOptions, rpc: rpcOption },
  examples: [{ command: "ogpu verifier status --key verifier.json", description: "the own one" }],
  async run({ options: given }, { report }): Promise<ExitCode> {
    const account = await namedAccount(given, "ogpu verifier status");
    const [verifier, withdrawals] = await Promise.all([
      readModule(given.rpc, "verifiers", "verifierOf", [account]),
      readModule(given.rpc, "verifiers", "withdrawalsOf", [account]),
    ]);
    const { status, stake, frozen, units, jailedUntil } = verifier;
    const text = factTable([
      ["account", checksumAddress(hexToBytes(account))],
      ["status", statusText(status, jailedUntil)],
      ["stake", `${formatOgpu(stake)} oGPU, ${units} units in draws from the next epoch on`],
      ...(frozen > 0n ? [["frozen", `${formatOgpu(frozen)} oGPU, until a penalty is decided`] as const] : []),
      ...leavingFacts(withdrawals, "verifier"),
    ]);
    const [amounts, dues] = withdrawals;
    report({ ...verifier, withdrawals: amounts.map((amount, index) => ({ amount, due: dues[index] })) }, text);
    return 0;
  },
});

function statusText(status: number, jailedUntil: bigint): string {
  const word = STANDING_STATUS[status] ?? "";
  return jailedUntil === 0n ? word : `${word}, jailed until ${dateText(jailedUntil)}: then ogpu verifier unjail`;
}

import { checksumAddress } from "../../base/address.ts";
import { hexToBytes } from "../../base/bytes.ts";
import { formatOgpu } from "../../base/units.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { readModule } from "../modules/module-commands.ts";
import { namedAccount, ofOption } from "../modules/named-account.ts";
import { dutiesOf } from "../modules/provider-duties.ts";
import { leavingFacts, STANDING_STATUS } from "../modules/standing-commands.ts";
import { factTable } from "../table.ts";
import { senderOptions } from "../transaction-sender.ts";

const PAGE = 100n;
const KINDS: Readonly<Record<number, string>> = { 1: "CPU", 2: "CUDA" };

export const providerStatus: Command = defineCommand({
  name: "status",
  summary: "Show a provider: whether it gets work, its collateral, what is under way, how it has done",
  options: { of: ofOption, ...senderOptions, rpc: rpcOption },
  examples: [{ command: "ogpu provider status --key provider.json", description: "the own one" }],
  async run({ options: given }, { report }): Promise<ExitCode> {
    const { rpc } = given;
    const account = await namedAccount(given, "ogpu provider status");
    const [provider, withdrawals, reputation, devices, members, duties, lock] = await Promise.all([
      readModule(rpc, "providers", "providerOf", [account]),
      readModule(rpc, "providers", "withdrawalsOf", [account]),
      readModule(rpc, "providers", "reputationOf", [account]),
      readModule(rpc, "providers", "devicesOf", [account, 0n, PAGE]),
      readModule(rpc, "market", "membershipsOf", [account, 0n, PAGE]),
      dutiesOf(rpc, account),
      readModule(rpc, "trustLock", "accountOf", [account]),
    ]);
    const { status, available, name, endpoint, free, reserved } = provider;
    const { accepted, rejected, late, earned, lost } = reputation;
    const [locked, , allocated] = lock;
    const text = factTable([
      ["account", checksumAddress(hexToBytes(account))],
      ["status", `${STANDING_STATUS[status] ?? ""}, ${available ? "gets work" : "gets no work"}`],
      ["name", name],
      ["endpoint", endpoint],
      ["collateral", `${formatOgpu(free)} oGPU free, ${formatOgpu(reserved)} oGPU reserved for jobs`],
      ...leavingFacts(withdrawals, "provider"),
      ["trust lock", `${formatOgpu(locked)} oGPU, ${formatOgpu(allocated)} oGPU of it set aside`],
      ...devices.map(({ id, kind, tier }) => [`device ${id}`, `${KINDS[kind] ?? kind}, tier ${tier}`] as const),
      ["sources", members.length === 0 ? "none" : members.map(({ source }) => source).join(", ")],
      ...(duties.length === 0 ? [["under way", "nothing"] as const] : []),
      ...duties.map(({ job, what }) => [`job ${job}`, what] as const),
      ["jobs so far", `${accepted} accepted, ${rejected} rejected, ${late} late`],
      ["earned", `${formatOgpu(earned)} oGPU, and ${formatOgpu(lost)} oGPU of collateral lost`],
    ]);
    const [amounts, dues] = withdrawals;
    const leaving = amounts.map((amount, index) => ({ amount, due: dues[index] }));
    report(
      { ...provider, withdrawals: leaving, locked, allocated, devices, memberships: members, duties, reputation },
      text,
    );
    return 0;
  },
});

import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { DEFAULT_P2P_PORT, DEFAULT_RPC_HOST, DEFAULT_RPC_PORT } from "../defaults.ts";
import type { Finding } from "../doctor/finding.ts";
import { rpcOption } from "../json-rpc-client.ts";
import type { Style } from "../style.ts";
import { columns } from "../table.ts";
import { keysDirOption } from "./keys-options.ts";

export const doctor: Command = defineCommand({
  name: "doctor",
  summary: "Look for what would keep a node, validator or provider from working, and say what to do",
  details:
    "Looks at this machine (Node.js, memory, clock), the disk, ports, keys, devices, and at the node that answers RPC if " +
    "there is one. Changes nothing. Exit code 1 when something is at fault.",
  options: {
    dataDir: {
      type: "string",
      placeholder: "folder",
      description: "where the node keeps its chain",
      default: "./data/node",
    },
    keysDir: keysDirOption,
    rpc: rpcOption,
    p2pPort: {
      type: "integer",
      placeholder: "port",
      description: "for other nodes",
      default: DEFAULT_P2P_PORT,
      max: 65_535,
    },
    rpcPort: { type: "integer", placeholder: "port", description: "for RPC", default: DEFAULT_RPC_PORT, max: 65_535 },
  },
  examples: [
    { command: "ogpu doctor", description: "before the first start, or when something is odd" },
    { command: "ogpu doctor --json", description: "for a bug report" },
  ],
  async run({ options }, { report, bar, style }): Promise<ExitCode> {
    const [machine, disk, ports, keys, devices, node] = await Promise.all([
      import("../doctor/machine-checks.ts"),
      import("../doctor/disk-checks.ts"),
      import("../doctor/port-checks.ts"),
      import("../doctor/key-checks.ts"),
      import("../doctor/device-checks.ts"),
      import("../doctor/node-checks.ts"),
    ]);
    bar("looking at the node");
    const status = await node.nodeStatus(options.rpc);
    const isRunning = !("state" in status);
    bar("looking at the machine");
    const findings: readonly Finding[] = [
      ...(await machine.checkMachine()),
      ...(await disk.checkDisk(options.dataDir)),
      await ports.checkPort(
        { subject: "p2p", host: "0.0.0.0", port: options.p2pPort, option: "--p2p-port" },
        isRunning,
      ),
      await ports.checkPort(
        { subject: "rpc", host: DEFAULT_RPC_HOST, port: options.rpcPort, option: "--rpc-port" },
        isRunning && new URL(options.rpc).port === String(options.rpcPort),
      ),
      ...(await keys.checkKeys(options.keysDir)),
      ...devices.checkDevices(),
      ...(isRunning ? node.checkStatus(status, Date.now()) : [status]),
    ];
    bar("");
    const faults = findings.filter(({ state }) => state === "fault").length;
    report({ faults, findings }, `${tableOf(findings, style)}\n\n${conclusion(findings, style)}`);
    return faults === 0 ? 0 : 1;
  },
});

const WORDS: Readonly<Record<Finding["state"], string>> = { ok: "ok", look: "look", fault: "FAULT", skipped: "-" };

function tableOf(findings: readonly Finding[], style: Style): string {
  const paint = { ok: style.good, look: style.warn, fault: style.bad, skipped: style.dim };
  const rows = findings.flatMap(({ subject, state, found, advice }) => [
    [paint[state](WORDS[state]), subject, found],
    ...(advice === undefined ? [] : [["", "", style.dim(`-> ${advice}`)]]),
  ]);
  return columns(["", style.bold("what"), style.bold("found")], rows);
}

function conclusion(findings: readonly Finding[], { bad, good, warn }: Style): string {
  const count = (state: Finding["state"]): number => findings.filter((each) => each.state === state).length;
  if (count("fault") > 0) return bad(`${count("fault")} of these must be mended.`);
  return count("look") > 0 ? warn("It works; some of it could be better.") : good("All is well.");
}

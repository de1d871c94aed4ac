import { access } from "node:fs/promises";
import { join } from "node:path";
import { formatOgpu } from "../../base/units.ts";
import type { AuditProgress, AuditReport } from "../../chain/store/audit.ts";
import { type Command, defineCommand } from "../command.ts";

const PROGRESS_STEP = 100_000;

export const audit: Command = defineCommand({
  name: "audit",
  summary: "Check a chain database: every balance, the whole state tree, all code",
  details:
    "Sums all balances and compares them with genesis + minted - burned, builds the state tree anew from the records " +
    "and compares its root with the last block's, and checks every page of the stored tree and every piece of code. " +
    "The node must not be running on that folder. Exit code 1 when something is wrong.",
  options: {
    dataDir: {
      type: "string",
      placeholder: "folder",
      description: "a node's data folder, or the chain database in it",
      env: "OGPU_DATA_DIR",
      required: true,
    },
    repair: {
      type: "flag",
      description: "first rebuild a damaged database from its whole records",
    },
  },
  examples: [
    { command: "ogpu audit --data-dir data/devnet/validator-0", description: "check a validator of the devnet" },
    { command: "ogpu audit --data-dir data/node --repair", description: "after a message that it is damaged" },
  ],
  async run({ options }, { report, progress }) {
    // Loaded now, so that `--help` and mistakes answer at once.
    const [{ auditStore }, { ChainStore }] = await Promise.all([
      import("../../chain/store/audit.ts"),
      import("../../chain/store/chain-store.ts"),
    ]);
    const directory = await databaseOf(options.dataDir);
    if (options.repair) {
      progress(`repairing ${directory}`);
      await ChainStore.repair(directory);
    }
    const store = await ChainStore.open(directory);
    try {
      const result = await auditStore(store, everyNow(progress));
      report(result, textOf(result));
      return result.problems.length === 0 ? 0 : 1;
    } finally {
      await store.close();
    }
  },
});

async function databaseOf(dataDir: string): Promise<string> {
  const inside = join(dataDir, "chain");
  return (await exists(inside)) ? inside : dataDir;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Says something a few times in a large state, and nothing in a small one. */
function everyNow(progress: (text: string) => void): AuditProgress {
  let last = 0;
  return (step, done) => {
    const reached = Math.floor(done / PROGRESS_STEP);
    if (reached > last) progress(`${step}: ${done.toLocaleString("en-US")}`);
    last = reached;
  };
}

function textOf(result: AuditReport): string {
  const { supply, problems } = result;
  const lines = [
    `block      ${result.number} ${result.hash}`,
    `state root ${result.stateRoot}`,
    `accounts   ${result.accounts}, slots ${result.slots}, codes ${result.codes}, pages ${result.pages}`,
    `balances   ${formatOgpu(result.balances)} oGPU`,
    `supply     genesis ${formatOgpu(supply.genesis)} + minted ${formatOgpu(supply.minted)} - burned ${formatOgpu(supply.burned)}`,
  ];
  if (problems.length === 0) return [...lines, "everything adds up"].join("\n");
  return [...lines, ...problems.map(({ code, message }) => `PROBLEM [${code}] ${message}`)].join("\n");
}

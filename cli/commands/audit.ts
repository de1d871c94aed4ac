import type { AuditReport } from "../../chain/store/audit.ts";
import { type Command, defineCommand } from "../command.ts";

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
      description: "the chain database",
      env: "OGPU_DATA_DIR",
      required: true,
    },
    repair: {
      type: "flag",
      description: "first rebuild a damaged database from its whole records",
    },
  },
  examples: [
    { command: "ogpu audit --data-dir data/devnet", description: "check the devnet's database" },
    { command: "ogpu audit --data-dir data/devnet --repair", description: "after a message that it is damaged" },
  ],
  async run({ options }, { report, progress }) {
    // Loaded now, so that other commands start at once.
    const [{ auditStore }, { ChainStore }, { Database }] = await Promise.all([
      import("../../chain/store/audit.ts"),
      import("../../chain/store/chain-store.ts"),
      import("../../chain/store/database.ts"),
    ]);
    const directory = options.dataDir;
    if (options.repair) {
      progress(`repairing ${directory}`);
      await Database.repair(directory);
    }
    const store = await ChainStore.open(directory);
    try {
      const result = await auditStore(store, (step, done) => {
        if (done % 100_000 < 1_000) progress(`${step}: ${done.toLocaleString("en-US")}`);
      });
      report(result, textOf(result));
      return result.problems.length === 0 ? 0 : 1;
    } finally {
      await store.close();
    }
  },
});

function textOf(result: AuditReport): string {
  const { supply, problems } = result;
  const lines = [
    `block      ${result.number} ${result.hash}`,
    `state root ${result.stateRoot}`,
    `accounts   ${result.accounts}, slots ${result.slots}, codes ${result.codes}, pages ${result.pages}`,
    `balances   ${result.balances} wei`,
    `supply     genesis ${supply.genesis} + minted ${supply.minted} - burned ${supply.burned}`,
  ];
  if (problems.length === 0) return [...lines, "everything adds up"].join("\n");
  return [...lines, ...problems.map(({ code, message }) => `PROBLEM [${code}] ${message}`)].join("\n");
}

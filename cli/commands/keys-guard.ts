import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RecordCodec } from "../../chain/wal/log-file.ts";
import { type Command, defineCommand, type ExitCode, type StringOption } from "../command.ts";
import { refuseExisting } from "./keys-options.ts";

const dataDirOption = {
  type: "string",
  placeholder: "folder",
  description: "the validator's data folder",
  env: "OGPU_DATA_DIR",
  required: true,
} as const satisfies StringOption;

/** As the node has it in its data folder. */
function logFolder(dataDir: string): string {
  return join(dataDir, "consensus");
}

async function recordCodec(): Promise<RecordCodec> {
  const { decodeRecord, encodeRecord } = await import("../../chain/wire/log-record.ts");
  return { encode: encodeRecord, decode: decodeRecord };
}

export const guardExport: Command = defineCommand({
  name: "guard-export",
  summary: "Retire a validator here and write down what it has signed, to move it elsewhere",
  details:
    "The validator must be stopped. Afterwards it cannot be started in this folder any more: two machines that sign " +
    "with one key lose its stake. The export can be repeated if the file is lost. Import it on one machine only.",
  args: [{ name: "file", description: "where the guard goes; it must not exist" }],
  options: { dataDir: dataDirOption },
  examples: [
    { command: "ogpu keys guard-export guard.json --data-dir data/validator", description: "on the old machine" },
  ],
  async run({ args, options }, { report }): Promise<ExitCode> {
    const file = args[0] as string;
    // Before anything is retired.
    await refuseExisting(file);
    const [{ exportGuard }, { writeSecretFile }] = await Promise.all([
      import("../../chain/wal/guard-file.ts"),
      import("../../chain/keys/secret-file.ts"),
    ]);
    const exported = await exportGuard(logFolder(options.dataDir), await recordCodec());
    await writeSecretFile(file, `${JSON.stringify(exported, null, 2)}\n`);
    const { validator, chainId, guard } = exported;
    report(
      { file, validator, chainId, epoch: guard.epoch, finalView: guard.finalView, votes: guard.votes.length },
      `The guard of ${validator} is in ${file}.\n` +
        "This folder is retired. On the new machine, and on no other: ogpu keys guard-import",
    );
    return 0;
  },
});

export const guardImport: Command = defineCommand({
  name: "guard-import",
  summary: "Let a validator go on here with what it has signed elsewhere",
  details:
    "Makes the record of what the validator has signed, so that it never signs anything that contradicts it. The folder " +
    "must not have such a record of a validator. The key itself is brought with: ogpu keys import",
  args: [{ name: "file", description: "what guard-export wrote" }],
  options: { dataDir: dataDirOption },
  examples: [
    { command: "ogpu keys guard-import guard.json --data-dir data/validator", description: "on the new machine" },
  ],
  async run({ args, options }, { report }): Promise<ExitCode> {
    const { importGuard, parseGuardFile } = await import("../../chain/wal/guard-file.ts");
    const file = parseGuardFile(await readFile(args[0] as string, "utf8"));
    await importGuard(logFolder(options.dataDir), file, await recordCodec());
    const { validator, chainId } = file;
    report(
      { validator, chainId },
      `${validator} may sign here, and nowhere else. Delete ${args[0]} and all its copies.`,
    );
    return 0;
  },
});

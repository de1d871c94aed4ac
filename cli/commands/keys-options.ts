/** What the commands of `ogpu keys` have in common. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { CodedError } from "../../base/errors.ts";
import type { ArgumentSpec, StringOption } from "../command.ts";
import { usageError } from "../failure.ts";

export const NAME_ARGUMENT: ArgumentSpec = { name: "name", description: "what the key is called here" };

export const keysDirOption: StringOption & { readonly default: string } = {
  type: "string",
  placeholder: "folder",
  description: "where the keystores are",
  env: "OGPU_KEYS_DIR",
  default: "keys",
};

export const passwordFileOption: StringOption = {
  type: "string",
  placeholder: "file",
  description: "a file whose first line is the password; otherwise it is asked for, or read from standard input",
};

export const newPasswordFileOption: StringOption = {
  type: "string",
  placeholder: "file",
  description: "the same, for the new password",
};

export const KINDS: readonly string[] = ["validator", "account"];

/** A name cannot lead out of the folder. */
export function keystorePath(folder: string, name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return join(folder, `${name}.json`);
  throw usageError(
    `${JSON.stringify(name)} is no name for a key`,
    "Use letters, digits, dots, dashes and underscores.",
  );
}

/** Throws FILE_EXISTS. Said before anything is asked or done; writing makes sure once more. */
export async function refuseExisting(path: string): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new CodedError("FILE_EXISTS", `${path} exists already`, { hint: "Choose another name." });
}

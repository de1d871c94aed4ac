/** Every command of `ogpu`, in the order of the overview. A new command is one file in `commands/` and one line here. */
import type { CommandSection } from "./command.ts";
import { version } from "./commands/version.ts";

export const COMMANDS: readonly CommandSection[] = [{ title: "About", entries: [version] }];

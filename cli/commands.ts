/** Every command of `ogpu`, in the order of the overview. A new command is one file in `commands/` and one line here. */
import type { CommandSection } from "./command.ts";
import { account } from "./commands/account.ts";
import { audit } from "./commands/audit.ts";
import { balance } from "./commands/balance.ts";
import { block } from "./commands/block.ts";
import { devnet } from "./commands/devnet.ts";
import { genesis } from "./commands/genesis.ts";
import { send } from "./commands/send.ts";
import { tx } from "./commands/tx.ts";
import { version } from "./commands/version.ts";

export const COMMANDS: readonly CommandSection[] = [
  { title: "Run a chain", entries: [devnet] },
  { title: "Use a chain", entries: [account, balance, send, tx, block] },
  { title: "Make and check chains", entries: [genesis, audit] },
  { title: "About", entries: [version] },
];

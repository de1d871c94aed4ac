/** Every command of `ogpu`, in the order of the overview. A new command is one file in `commands/` and one line here. */
import type { CommandSection } from "./command.ts";

export const COMMANDS: readonly CommandSection[] = [
  {
    title: "Run a chain",
    entries: [{ name: "devnet", load: async () => (await import("./commands/devnet.ts")).devnet }],
  },
  {
    title: "Use a chain",
    entries: [
      { name: "account", load: async () => (await import("./commands/account.ts")).account },
      { name: "balance", load: async () => (await import("./commands/balance.ts")).balance },
      { name: "send", load: async () => (await import("./commands/send.ts")).send },
      { name: "tx", load: async () => (await import("./commands/tx.ts")).tx },
      { name: "block", load: async () => (await import("./commands/block.ts")).block },
    ],
  },
  {
    title: "Make and check chains",
    entries: [
      { name: "genesis", load: async () => (await import("./commands/genesis.ts")).genesis },
      { name: "audit", load: async () => (await import("./commands/audit.ts")).audit },
    ],
  },
  {
    title: "About",
    entries: [{ name: "version", load: async () => (await import("./commands/version.ts")).version }],
  },
];

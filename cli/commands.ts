/** Every command of `ogpu`, in the order of the overview. A new command is one file in `commands/` and one line here. */
import type { CommandSection } from "./command.ts";

export const COMMANDS: readonly CommandSection[] = [
  {
    title: "Run a chain",
    entries: [
      {
        name: "devnet",
        summary: "Run a development network on this machine",
        load: async () => (await import("./commands/devnet.ts")).devnet,
      },
      {
        name: "node",
        summary: "Follow a network: check and keep its blocks, answer RPC",
        load: async () => (await import("./commands/node.ts")).node,
      },
      {
        name: "validator",
        summary: "Run a validator: a node that signs blocks",
        load: async () => (await import("./commands/validator.ts")).validator,
      },
      {
        name: "keys",
        summary: "Make, keep and move the keys of validators and accounts",
        load: async () => (await import("./commands/keys.ts")).keys,
      },
    ],
  },
  {
    title: "Use a chain",
    entries: [
      {
        name: "account",
        summary: "Make a key, or list the devnet's test accounts",
        load: async () => (await import("./commands/account.ts")).account,
      },
      {
        name: "balance",
        summary: "Print what an account has",
        load: async () => (await import("./commands/balance.ts")).balance,
      },
      {
        name: "send",
        summary: "Send oGPU, or call a contract",
        load: async () => (await import("./commands/send.ts")).send,
      },
      {
        name: "tx",
        summary: "Show a transaction and what came of it",
        load: async () => (await import("./commands/tx.ts")).tx,
      },
      {
        name: "block",
        summary: "Show a block",
        load: async () => (await import("./commands/block.ts")).block,
      },
    ],
  },
  {
    title: "Compute",
    entries: [
      {
        name: "compute",
        summary: "Check and run kernels, test devices",
        load: async () => (await import("./commands/compute.ts")).compute,
      },
    ],
  },
  {
    title: "Make and check chains",
    entries: [
      {
        name: "genesis",
        summary: "Make and check chain specs",
        load: async () => (await import("./commands/genesis.ts")).genesis,
      },
      {
        name: "audit",
        summary: "Check a chain database: every balance, the whole state tree, all code",
        load: async () => (await import("./commands/audit.ts")).audit,
      },
    ],
  },
  {
    title: "About",
    entries: [
      {
        name: "version",
        summary: "Print the version of the node, of Node.js and of the platform",
        load: async () => (await import("./commands/version.ts")).version,
      },
    ],
  },
];

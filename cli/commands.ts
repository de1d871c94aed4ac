/** Every command of `ogpu`, in the order of the overview. A new command is one file in `commands/` and one line here. */
import type { CommandSection } from "./command.ts";

export const COMMANDS: readonly CommandSection[] = [
  {
    title: "Run a chain",
    entries: [
      {
        name: "init",
        summary: "Prepare this machine for a validator or a provider, step by step",
        load: async () => (await import("./commands/init.ts")).init,
      },
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
        name: "top",
        summary: "Watch a node on a full screen: blocks, finality, validators, supply",
        load: async () => (await import("./commands/top.ts")).top,
      },
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
      {
        name: "stake",
        summary: "Become a validator, delegate, and take rewards",
        load: async () => (await import("./commands/stake.ts")).stake,
      },
      {
        name: "gov",
        summary: "Read proposals and parameters, and vote",
        load: async () => (await import("./commands/governance.ts")).governance,
      },
      {
        name: "evidence",
        summary: "List and report offences of validators",
        load: async () => (await import("./commands/evidence.ts")).evidence,
      },
    ],
  },
  {
    title: "Compute",
    entries: [
      {
        name: "job",
        summary: "Have work computed and checked: submit, quote, watch, result, demand, cancel, list",
        load: async () => (await import("./commands/job.ts")).job,
      },
      {
        name: "source",
        summary: "Make, list and close sources of pool tasks",
        load: async () => (await import("./commands/source.ts")).source,
      },
      {
        name: "lock",
        summary: "See and take back the money that stands behind jobs",
        load: async () => (await import("./commands/lock.ts")).lock,
      },
      {
        name: "provider",
        summary: "Run a provider, which computes jobs of others and earns for it; see it, pause it, end it",
        load: async () => (await import("./commands/provider.ts")).provider,
      },
      {
        name: "worker",
        summary: "Compute for a provider on another machine, through its queue",
        load: async () => (await import("./commands/worker.ts")).worker,
      },
      {
        name: "verifier",
        summary: "Run a verifier, which recomputes parts of others' work and earns for it; see it, pause it, end it",
        load: async () => (await import("./commands/verifier.ts")).verifier,
      },
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
        name: "doctor",
        summary: "Look for what would keep a node, validator or provider from working, and say what to do",
        load: async () => (await import("./commands/doctor.ts")).doctor,
      },
      {
        name: "version",
        summary: "Print the version of the node, of Node.js and of the platform",
        load: async () => (await import("./commands/version.ts")).version,
      },
    ],
  },
];

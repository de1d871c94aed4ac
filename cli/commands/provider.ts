import type { CommandGroup } from "../command.ts";
import {
  claimCommand,
  pauseCommand,
  resumeCommand,
  type Standing,
  topUpCommand,
  withdrawCommand,
} from "../modules/standing-commands.ts";
import { providerExit } from "./provider-exit.ts";
import { providerRun } from "./provider-run.ts";
import { providerStatus } from "./provider-status.ts";

const STANDING: Standing = {
  ...{ module: "providers", word: "provider", money: "collateral" },
  paused: "paused: it gets no new work. Let it run until ogpu provider status shows nothing under way",
  resumed: "active again: it gets work as long as it runs",
};

export const provider: CommandGroup = {
  name: "provider",
  summary: "Run a provider, which computes jobs of others and earns for it; see it, pause it, end it",
  alone: providerRun,
  commands: [
    ...[providerRun, providerStatus, pauseCommand(STANDING), resumeCommand(STANDING), topUpCommand(STANDING)],
    ...[withdrawCommand(STANDING), providerExit, claimCommand(STANDING)],
  ],
};

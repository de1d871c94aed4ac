import type { CommandGroup } from "../command.ts";
import {
  claimCommand,
  pauseCommand,
  resumeCommand,
  type Standing,
  topUpCommand,
  withdrawCommand,
} from "../modules/standing-commands.ts";
import { verifierExit, verifierUnjail } from "./verifier-exit.ts";
import { verifierRun } from "./verifier-run.ts";
import { verifierStatus } from "./verifier-status.ts";

const STANDING: Standing = {
  ...{ module: "verifiers", word: "verifier", money: "stake" },
  paused: "paused: it is not drawn from the next epoch on. Seats that it has, or gets until then, are its to answer",
  resumed: "active again: it is drawn from the next epoch on",
};

export const verifier: CommandGroup = {
  name: "verifier",
  summary: "Run a verifier, which recomputes parts of others' work and earns for it; see it, pause it, end it",
  alone: verifierRun,
  commands: [
    ...[verifierRun, verifierStatus, pauseCommand(STANDING), resumeCommand(STANDING), verifierUnjail],
    ...[topUpCommand(STANDING), withdrawCommand(STANDING), verifierExit, claimCommand(STANDING)],
  ],
};

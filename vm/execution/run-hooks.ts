import { ModuleCall } from "../modules/module-call.ts";
import type { Log } from "../receipt/log.ts";
import type { WorkingState } from "../state/working-state.ts";
import type { BlockEnvironment } from "./environment.ts";
import type { ExecutionRules } from "./rules.ts";

/** The protocol's own work in all modules, in their order; what they tell. */
export function runHooks(
  { modules }: ExecutionRules,
  hook: "genesis" | "beginBlock" | "endEpoch" | "endBlock",
  state: WorkingState,
  environment: BlockEnvironment,
): Log[] {
  const logs: Log[] = [];
  for (const module of modules.values()) {
    const run = module[hook];
    if (run === undefined) continue;
    const call = ModuleCall.ofProtocol(module, state, environment);
    run(call);
    logs.push(...call.logs);
  }
  state.endTransaction();
  return logs;
}

/** The agenda module: begins every block with the work that is due, as far as the block's budget goes. */
import { assert } from "../../../base/errors.ts";
import { agendaAbi } from "../../interfaces/abi/agenda.ts";
import type { Address } from "../../state/account.ts";
import { AGENDA_ADDRESS } from "../addresses.ts";
import { protocolTime } from "../clock/clock.ts";
import { defineModule, type NativeModule } from "../module.ts";
import type { ModuleCall } from "../module-call.ts";
import type { ParameterStore } from "../parameter-store.ts";
import { AGENDA_GAS_PER_BLOCK, ID_BITS, MAX_KIND, RETRY_SECONDS } from "./limits.ts";
import { type AgendaEntry, agendaCount, dueOf, firstDue, schedule, takeDue } from "./schedule.ts";

/** What a module does when its work of one kind is due. The call is in the module's account. */
export interface AgendaHandler {
  readonly module: Address;
  readonly kind: number;
  readonly run: (call: ModuleCall, id: bigint) => void;
}

export function createAgendaModule(parameters: ParameterStore, handlers: readonly AgendaHandler[]): NativeModule {
  const byName = new Map(handlers.map((handler) => [nameOf(handler), handler]));
  assert(byName.size === handlers.length, "a kind of work has one handler");
  return defineModule({
    name: "agenda",
    address: AGENDA_ADDRESS,
    abi: agendaAbi,
    parameters,
    handlers: {
      count: (call) => BigInt(agendaCount(call)),
      nextDue: (call) => {
        const { block = 0n, time = 0n } = firstDue(call);
        return [block, time];
      },
      dueOf: (call, module, kind, id) => {
        if (kind > BigInt(MAX_KIND) || id >> ID_BITS > 0n) return [0n, 0n];
        const due = dueOf(call, { module, kind: Number(kind), id });
        return due === undefined ? [0n, 0n] : "block" in due ? [due.block, 0n] : [0n, due.time];
      },
    },
    beginBlock: (call) => runDue(call, byName),
  });
}

function nameOf({ module, kind }: Pick<AgendaEntry, "module" | "kind">): string {
  return `${module} ${kind}`;
}

/** Blocks and times in turn, so that neither keeps the other waiting. */
function runDue(call: ModuleCall, handlers: ReadonlyMap<string, AgendaHandler>): void {
  const { number } = call.environment;
  const time = protocolTime(call);
  const start = call.gasUsed;
  const isSpent = (): boolean => call.gasUsed - start >= AGENDA_GAS_PER_BLOCK;
  for (let found = true; found; ) {
    found = false;
    for (const which of ["block", "time"] as const) {
      if (isSpent()) return;
      const entry = takeDue(call, which, which === "block" ? number : time);
      if (entry === undefined) continue;
      found = true;
      perform(call, entry, handlers);
    }
  }
}

/**
 * Work that reverts, or meets a bug of ours, is undone and told: nothing scheduled may stop a block. It is tried again a day
 * later, and every day until it can be done, or what it is about would wait for good.
 */
function perform(call: ModuleCall, entry: AgendaEntry, handlers: ReadonlyMap<string, AgendaHandler>): void {
  const handler = handlers.get(nameOf(entry));
  assert(handler !== undefined, "what is scheduled has a handler");
  const { module, kind, id } = entry;
  const own = call.in(module);
  const problem = own.attempt(() => handler.run(own, id));
  if (problem === undefined) return;
  call.emit(agendaAbi, "Failed", { module, kind: BigInt(kind), id, reason: problem.message });
  schedule(call, { time: protocolTime(call) + RETRY_SECONDS }, entry);
}

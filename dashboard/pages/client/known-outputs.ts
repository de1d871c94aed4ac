/** What the outputs of programs are that were made here from models. The chain knows bytes only. */
import type { Hex } from "viem";
import type { OutputTensor } from "./model/messages.ts";

const known = new Map<Hex, readonly OutputTensor[]>();

export function rememberOutputs(program: Hex, outputs: readonly OutputTensor[]): void {
  known.set(program, outputs);
}

export function outputsOf(program: Hex): readonly OutputTensor[] {
  return known.get(program) ?? [];
}

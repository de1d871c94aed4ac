import { readFile } from "node:fs/promises";
import { checkModule, type KernelReport } from "../../compute/ptx/check.ts";
import type { BufferUse } from "../../compute/ptx/pointers.ts";
import { type Command, defineCommand } from "../command.ts";

export const computeCheck: Command = defineCommand({
  name: "check",
  summary: "Say whether the kernels of a PTX file can be verified, and which lines stand in the way",
  details:
    "Reads PTX as nvcc -ptx -fmad=false writes it. A kernel can be verified when it uses only operations that have one " +
    "answer on every machine (docs/spec/numerics.md). Exit code 1 when one cannot.",
  args: [{ name: "kernel.ptx", description: "the file" }],
  examples: [{ command: "ogpu compute check kernel.ptx", description: "every kernel of the file" }],
  async run({ args }, { report }) {
    const file = args[0] as string;
    const text = await readFile(file, "utf8");
    const lines = text.split("\n");
    const reports = checkModule(text);
    report(
      reports.map(({ name, problems, checked }) => ({
        kernel: name,
        verifiable: checked !== undefined,
        problems: problems.map(({ code, message, data }) => ({ code, message, line: data["line"] })),
      })),
      reports.map((kernel) => textOf(kernel, lines)).join("\n\n"),
    );
    return reports.every(({ checked }) => checked !== undefined) ? 0 : 1;
  },
});

function textOf({ name, problems, checked }: KernelReport, lines: readonly string[]): string {
  if (checked === undefined) {
    const list = problems.map(({ code, message, data }) => {
      const source = lines[Number(data["line"]) - 1]?.trim() ?? "";
      return `  ${message}\n    ${source}  [${code}]`;
    });
    return [`${name}: cannot be verified`, ...list].join("\n");
  }
  const { kernel, pointers } = checked;
  const parameters = kernel.parameters.map(({ name: parameter, size }, index) => {
    const use = pointers.buffers.get(index);
    return `  ${parameter}  ${use === undefined ? `${size} bytes` : useText(use)}`;
  });
  return [`${name}: can be verified`, ...parameters].join("\n");
}

function useText({ loads, stores, reductions }: BufferUse): string {
  const uses = [
    ...(loads ? ["read"] : []),
    ...(stores ? ["written"] : []),
    ...reductions.map((kind) => `${kind} by all`),
  ];
  return `buffer, ${uses.length === 0 ? "not used" : uses.join(" and ")}`;
}

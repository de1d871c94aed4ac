import type { Finding, SourceTree } from "../source-tree.ts";

/** No file imports itself by a detour, not even for a type: such files can only be understood together. */
export function importCycles({ sources }: SourceTree): readonly Finding[] {
  const targets = new Map(sources.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])]));
  const state = new Map<string, "open" | "done">();
  const findings: Finding[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      const cycle = [...trail.slice(trail.indexOf(path)), path];
      findings.push({ path, message: `import cycle: ${cycle.join(" -> ")}: move what both need into a third file` });
      return;
    }
    state.set(path, "open");
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    state.set(path, "done");
  };
  for (const path of targets.keys()) visit(path, []);
  return findings;
}

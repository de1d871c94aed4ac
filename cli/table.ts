import { padVisible, visibleLength } from "./style.ts";

/** Facts for people: names in one column, values in the other. */
export function factTable(facts: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd()).join("\n");
}

/** Rows under a heading each column as wide as its widest cell. */
export function columns(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => visibleLength(row[column] ?? ""))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => padVisible(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return all.map(line).join("\n");
}

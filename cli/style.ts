/**
 * Colours and weights of text on a terminal. They only underline what the words say: without them nothing is lost, so
 * whoever has set NO_COLOR (no-color.org), or reads through a pipe, gets plain text.
 */

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

const ESCAPE = "\u001b[";

function painted(open: number, close: number): (text: string) => string {
  return (text) => `${ESCAPE}${open}m${text}${ESCAPE}${close}m`;
}

const same = (text: string): string => text;

export const PLAIN: Style = { bold: same, dim: same, good: same, warn: same, bad: same };

export const COLOURED: Style = {
  bold: painted(1, 22),
  dim: painted(2, 22),
  good: painted(32, 39),
  warn: painted(33, 39),
  bad: painted(31, 39),
};

/** NO_COLOR wins over FORCE_COLOR, and both over what the output is. */
export function styleFor(variable: (name: string) => string | undefined, isTerminal: boolean): Style {
  if (variable("NO_COLOR") !== undefined) return PLAIN;
  const forced = variable("FORCE_COLOR");
  if (forced !== undefined) return forced === "0" ? PLAIN : COLOURED;
  return isTerminal && variable("TERM") !== "dumb" ? COLOURED : PLAIN;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const SEQUENCE = /\u001b\[[0-9;]*m/g;

/** How many columns the text takes. */
export function visibleLength(text: string): number {
  return text.replace(SEQUENCE, "").length;
}

export function padVisible(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - visibleLength(text)));
}

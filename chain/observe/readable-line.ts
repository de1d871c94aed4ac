/** A line of the log for people: `12:00:00.250 INFO  consensus  block is final  height=7`. */

const COLOURS: Readonly<Record<string, string>> = { trace: "90", debug: "36", info: "32", warn: "33", error: "31" };

/** From the JSON that the log wrote. */
export function readableLine(json: string, withColour: boolean): string {
  const { level, time, subsystem, message, ...facts } = JSON.parse(json) as Record<string, unknown>;
  const paint = (text: string, colour: string | undefined): string =>
    withColour && colour !== undefined ? `\u001b[${colour}m${text}\u001b[0m` : text;
  const name = paint(String(level).toUpperCase().padEnd(5), COLOURS[String(level)]);
  const shown = Object.entries(facts).map(
    ([key, value]) => `  ${paint(`${printable(key)}=`, "90")}${valueText(value)}`,
  );
  return `${String(time).slice(11, 23)} ${name} ${String(subsystem).padEnd(9)}  ${printable(String(message))}${shown.join("")}\n`;
}

/** Short words as they are, everything else in quotes, so that a value cannot pass for another fact. */
function valueText(value: unknown): string {
  if (typeof value === "string" && /^[\w.:/@+-]+$/.test(value)) return value;
  return printable(JSON.stringify(value) ?? "");
}

/** Without control characters, with which a peer could write lines of its own or move the cursor. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  });
}

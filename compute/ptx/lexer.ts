/** Cuts PTX text into tokens. One pass, no backtracking, so that its time is linear in the text. */
import { fail, type Place } from "./errors.ts";
import { MAX_TEXT } from "./limits.ts";

export type TokenKind = "word" | "dotted" | "number" | "string" | "sign" | "end";

export interface Token extends Place {
  readonly kind: TokenKind;
  readonly text: string;
}

const SPACE = /[ \t\r\n\f\v]+|\/\/[^\n]*/y;

/** In the order in which they are tried. A dotted word is a directive or a modifier: `.visible`, `.f32`, `.x`. */
const PATTERNS: readonly (readonly [TokenKind, RegExp])[] = [
  ["word", /[A-Za-z_$%][A-Za-z0-9_$]*/y],
  ["number", /0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?|0[bB][01]+U?/y],
  ["number", /[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+U?/y],
  ["dotted", /\.[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)*/y],
  ["string", /"[^"\n]*"/y],
  ["sign", /[{}()[\],;:+\-|!@<>=]/y],
];

export function lex(text: string): readonly Token[] {
  if (text.length > MAX_TEXT) {
    fail("PTX_LIMIT", `the text has ${text.length} characters, more than ${MAX_TEXT}`, { line: 1, column: 1 });
  }
  const tokens: Token[] = [];
  let position = 0;
  let line = 1;
  let lineStart = 0;
  const step = (end: number): void => {
    for (let at = text.indexOf("\n", position); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) {
      line++;
      lineStart = at + 1;
    }
    position = end;
  };
  while (position < text.length) {
    const space = spaceAt(text, position, { line, column: position - lineStart + 1 });
    if (space > 0) {
      step(position + space);
      continue;
    }
    const place = { line, column: position - lineStart + 1 };
    const token = tokenAt(text, position, place);
    tokens.push(token);
    position += token.text.length;
  }
  tokens.push({ kind: "end", text: "", line, column: position - lineStart + 1 });
  return tokens;
}

function match(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** Characters of white space or comment. */
function spaceAt(text: string, position: number, place: Place): number {
  if (!text.startsWith("/*", position)) return match(SPACE, text, position);
  const end = text.indexOf("*/", position + 2);
  if (end < 0) fail("PTX_SYNTAX", "a comment does not end", place);
  return end + 2 - position;
}

function tokenAt(text: string, position: number, place: Place): Token {
  for (const [kind, pattern] of PATTERNS) {
    const length = match(pattern, text, position);
    if (length > 0) return { kind, text: text.slice(position, position + length), ...place };
  }
  return fail("PTX_SYNTAX", `unexpected character ${JSON.stringify(text[position])}`, place);
}

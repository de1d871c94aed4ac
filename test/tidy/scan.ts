/**
 * Splits TypeScript text into code and the rest, so that a rule does not trip over a word in a comment. Not a
 * parser: it knows strings, templates, comments and regular expressions, which is all that can hide code.
 */

export interface Scanned {
  /** The text with comments blanked; strings stay. Same length, same lines. */
  readonly withoutComments: string;
  /** The text with comments and the insides of strings and regular expressions blanked. */
  readonly code: string;
  /** The comments alone, everything else blanked. */
  readonly comments: string;
}

type Kind = "code" | "string" | "comment";

export function scan(text: string): Scanned {
  const kinds = classify(text);
  const keep = (...wanted: readonly Kind[]): string => {
    let kept = "";
    for (let i = 0; i < text.length; i++) {
      kept += text[i] === "\n" || wanted.includes(kinds[i] as Kind) ? text[i] : " ";
    }
    return kept;
  };
  return { withoutComments: keep("code", "string"), code: keep("code"), comments: keep("comment") };
}

/** A quoted string, up to its closing quote or the end of its line. */
const QUOTED = /(["'])(?:\\[\s\S]|(?!\1)[^\\\n])*\1?/y;
const COMMENT = /\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;
/** After these, a slash begins a regular expression; after anything else it divides. */
const BEFORE_REGEX = /(?:^|[([{,;=:!&|?+*%<>~^-]|=>|\b(?:return|typeof|case|of|in|await|yield|void|delete))\s*$/;
/** A piece of a template's text; what follows is its end or an expression. */
const TEMPLATE_TEXT = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])+/y;

/** The kind of each character. */
function classify(text: string): readonly Kind[] {
  const kinds: Kind[] = [];
  /** For each template that we are inside of: how many braces are open in its `${}`, or -1 in its text. */
  const templates: number[] = [];
  const take = (length: number, kind: Kind): void => {
    for (let i = 0; i < length; i++) kinds.push(kind);
  };
  const taken = (pattern: RegExp, kind: Kind): boolean => {
    pattern.lastIndex = kinds.length;
    const length = pattern.exec(text)?.[0].length ?? 0;
    take(length, kind);
    return length > 0;
  };
  const takenWhole = (): boolean => {
    if (templates.at(-1) === -1) return taken(TEMPLATE_TEXT, "string");
    if (taken(COMMENT, "comment") || taken(QUOTED, "string")) return true;
    const before = text.slice(Math.max(0, kinds.length - 40), kinds.length);
    return text[kinds.length] === "/" && BEFORE_REGEX.test(before) && taken(REGEX, "string");
  };
  while (kinds.length < text.length) {
    if (takenWhole()) continue;
    take(enterOrLeave(text, kinds.length, templates), "code");
  }
  return kinds;
}

/** Keeps account of templates and their braces at one place in the text; returns how many characters that was. */
function enterOrLeave(text: string, position: number, templates: number[]): number {
  const character = text[position];
  const last = templates.length - 1;
  const braces = templates[last];
  if (character === "`") {
    if (braces === -1) templates.pop();
    else templates.push(-1);
  } else if (braces === -1) {
    // Only `${` is left here; the brace that closes it brings the count back to -1.
    templates[last] = 0;
    return 2;
  } else if (braces !== undefined && character === "{") {
    templates[last] = braces + 1;
  } else if (braces !== undefined && character === "}") {
    templates[last] = braces - 1;
  }
  return 1;
}

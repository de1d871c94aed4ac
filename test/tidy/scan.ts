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
const QUOTED = /(["'])(?:\\[^]|(?!\1)[^\\\n])*\1?/y;
const LINE_COMMENT = /\/\/.*/y;
const BLOCK_COMMENT = /\/\*[^]*?(?:\*\/|$)/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;
/** After these, a slash begins a regular expression; after anything else it divides. */
const BEFORE_REGEX = /(?:^|[([{,;=:!&|?+*%<>~^-]|=>|\b(?:return|typeof|case|of|in|await|yield|void|delete))\s*$/;

function classify(text: string): readonly Kind[] {
  const kinds: Kind[] = [];
  /** For each template we are inside of: how many braces are open in its current `${}`, or -1 in its text. */
  const templates: number[] = [];
  const take = (length: number, kind: Kind): void => {
    for (let i = 0; i < length; i++) kinds.push(kind);
  };
  const taken = (pattern: RegExp, kind: Kind): boolean => {
    pattern.lastIndex = kinds.length;
    const found = pattern.exec(text);
    if (found !== null) take(found[0].length, kind);
    return found !== null;
  };
  while (kinds.length < text.length) {
    const inner = templates.length - 1;
    if ((templates[inner] ?? 0) < 0) {
      takeTemplateText(text, templates, take, kinds.length);
      continue;
    }
    const character = text[kinds.length];
    if (character === "/" && (taken(LINE_COMMENT, "comment") || taken(BLOCK_COMMENT, "comment"))) continue;
    if (character === "/" && BEFORE_REGEX.test(text.slice(Math.max(0, kinds.length - 40), kinds.length))) {
      if (taken(REGEX, "string")) continue;
    }
    if ((character === '"' || character === "'") && taken(QUOTED, "string")) continue;
    if (character === "`") templates.push(-1);
    else if (character === "{" && inner >= 0) templates[inner] = (templates[inner] as number) + 1;
    else if (character === "}" && inner >= 0) templates[inner] = (templates[inner] as number) - 1;
    take(1, "code");
  }
  return kinds;
}

/** One step inside a template's text: its end, the start of a `${}`, or a character. */
function takeTemplateText(
  text: string,
  templates: number[],
  take: (length: number, kind: Kind) => void,
  position: number,
): void {
  if (text[position] === "`") {
    templates.pop();
    take(1, "code");
  } else if (text.startsWith("${", position)) {
    // The brace that closes the expression brings the count back to -1.
    templates[templates.length - 1] = 0;
    take(2, "code");
  } else {
    take(text[position] === "\\" ? Math.min(2, text.length - position) : 1, "string");
  }
}

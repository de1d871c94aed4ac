/** Without its quotes: the engine looks for the first letter, which is rare, and for quotes it would stop at each word. */
const KEY = "method";
/** Both forms that libraries write: without spaces, and with one after the colon. */
const [COLON, SPACE, QUOTE] = [0x3a, 0x20, 0x22] as const;

/**
 * The methods that a batch names, found in its text without parsing it, which takes ten times as long. `undefined` where one
 * does not stand there plainly or is not one of `known`, or there are more than `most`. A text can name others than its
 * requests have: who parses it must compare.
 */
export function methodsIn<Method extends { readonly name: string }>(
  body: string,
  most: number,
  known: ReadonlyMap<string, Method>,
): readonly Method[] | undefined {
  const found: Method[] = [];
  let last: Method | undefined;
  for (let at = body.indexOf(KEY); at >= 0; at = body.indexOf(KEY, at)) {
    at += KEY.length;
    if (body.charCodeAt(at) !== QUOTE || body.charCodeAt(at - KEY.length - 1) !== QUOTE) continue;
    if (found.length === most || body.charCodeAt(++at) !== COLON) return undefined;
    if (body.charCodeAt(++at) === SPACE) at++;
    if (body.charCodeAt(at++) !== QUOTE) return undefined;
    // Most batches ask for one thing many times: that needs no look into the table.
    if (last === undefined || !body.startsWith(last.name, at) || body.charCodeAt(at + last.name.length) !== QUOTE) {
      last = known.get(body.slice(at, Math.max(at, body.indexOf('"', at))));
      if (last === undefined) return undefined;
    }
    found.push(last);
    at += last.name.length;
  }
  return found;
}

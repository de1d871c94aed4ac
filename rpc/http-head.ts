/**
 * The head of a plain request, `POST / HTTP/1.1` with a body of known length: what nearly all clients send all the time.
 * Anything else, however right it may be, is left to Node.js' own parser.
 */

export interface PlainHead {
  readonly contentLength: number;
  readonly contentType: string | undefined;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** The client wants no further request on the connection. */
  readonly isLast: boolean;
}

const START = "POST / HTTP/1.1\r\n";
/**
 * RFC 9110, section 5.1 and 5.5; visible ASCII alone in values. The spaces around a value are cut off afterwards: an
 * expression that does it tries all ways to divide them (measured: two minutes for a head of 4 KB).
 */
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\x20-\x7e\t]*)$/;
const LENGTH = /^\d{1,9}$/;
/** Twice makes a request ambiguous. */
const ONCE: readonly string[] = ["content-length", "content-type", "host", "origin", "connection"];
/** These change what the body is, or ask for something before it. */
const OTHERS: readonly string[] = ["transfer-encoding", "expect", "upgrade", "trailer", "te", "content-encoding"];

/**
 * With these, Java's client and curl offer HTTP/2 on the side, and take an answer in HTTP/1.1 for a no. Node.js' server would
 * take them for a request that is none of ours.
 */
const OFFER: Readonly<Record<string, string>> = { connection: "upgrade,http2-settings", upgrade: "h2c" };

/** `text` is everything before the empty line, with the end of its last line. `undefined`: it is not plain. */
export function plainHead(text: string): PlainHead | undefined {
  if (!text.startsWith(START)) return undefined;
  const fields = new Map<string, string>();
  for (const line of text.slice(START.length, -2).split("\r\n")) {
    const [, given, value] = FIELD.exec(line) ?? [];
    if (given === undefined || value === undefined) return undefined;
    const name = given.toLowerCase();
    if (OFFER[name] === value.replaceAll(" ", "").toLowerCase()) continue;
    if (OTHERS.includes(name)) return undefined;
    if (!ONCE.includes(name)) continue;
    if (fields.has(name)) return undefined;
    fields.set(name, value.trim());
  }
  const length = fields.get("content-length") ?? "";
  const connection = (fields.get("connection") ?? "keep-alive").toLowerCase();
  if (!LENGTH.test(length) || (connection !== "keep-alive" && connection !== "close")) return undefined;
  return {
    contentLength: Number(length),
    contentType: fields.get("content-type"),
    host: fields.get("host"),
    origin: fields.get("origin"),
    isLast: connection === "close",
  };
}

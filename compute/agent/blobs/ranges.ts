/** Ranges of bytes in HTTP (RFC 9110, section 14), the few forms that blobs need. */

export interface ByteRange {
  readonly start: number;
  /** Not among them. */
  readonly end: number;
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;
const CONTENT_RANGE = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15})$/;

/**
 * What a `Range` header asks for. A form that we do not read, such as several ranges, is as good as none (RFC 9110 lets a
 * server ignore it); `unsatisfiable` is one that lies behind the end.
 */
export function readRange(header: string | undefined, length: number): ByteRange | "unsatisfiable" {
  const whole = { start: 0, end: length };
  const match = header === undefined ? null : RANGE.exec(header);
  if (match === null) return whole;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return whole;
  if (first === "") {
    const count = Math.min(Number(last), length);
    return count === 0 ? "unsatisfiable" : { start: length - count, end: length };
  }
  const start = Number(first);
  const end = last === "" ? length : Math.min(Number(last) + 1, length);
  if (last !== "" && Number(last) < start) return whole;
  return start >= length ? "unsatisfiable" : { start, end };
}

/** What an upload brings of the whole, or `undefined` bytes where it only asks how far it is. */
export interface UploadRange {
  readonly range: ByteRange | undefined;
  readonly total: number;
}

/** Of a `Content-Range` header; undefined when it is none. */
export function readContentRange(header: string): UploadRange | undefined {
  const match = CONTENT_RANGE.exec(header);
  if (match === null) return undefined;
  const [, first, last, total = ""] = match;
  if (first === undefined || last === undefined) return { range: undefined, total: Number(total) };
  const range = { start: Number(first), end: Number(last) + 1 };
  return range.start < range.end && range.end <= Number(total) ? { range, total: Number(total) } : undefined;
}

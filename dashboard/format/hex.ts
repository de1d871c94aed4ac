/** Hashes and addresses, shortened in the middle: people compare their ends. */

export function shortHex(hex: string, head = 6, tail = 4): string {
  return hex.length <= 2 + head + tail + 1 ? hex : `${hex.slice(0, 2 + head)}…${hex.slice(-tail)}`;
}

/** Text that a bytes16 holds, without its padding; `undefined` where it is none. */
export function textOfBytes(hex: string): string | undefined {
  const bytes = hex.slice(2).replace(/(?:00)+$/, "");
  const text = (bytes.match(/../g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 16))).join("");
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined;
}

/** Padded with zeros; longer text is cut. */
export function bytesOfText(text: string, length: number): `0x${string}` {
  const codes = [...text].slice(0, length).map((character) => character.charCodeAt(0) & 0x7f);
  return `0x${codes
    .map((code) => code.toString(16).padStart(2, "0"))
    .join("")
    .padEnd(2 * length, "0")}`;
}

/** 16 GiB and the like. */
export function formatBytes(bytes: bigint | number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let size = Number(bytes);
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${Number.isInteger(size) ? size : size.toFixed(1)} ${units[unit]}`;
}

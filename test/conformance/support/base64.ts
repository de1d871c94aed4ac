/** Base64, as the vectors hold bytes. */
export function base64ToBytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "base64"));
}

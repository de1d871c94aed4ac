/** Whether something is reached over HTTP at this address; `localhost:8545` alone is an address of no kind. */
export function isWebAddress(text: string): boolean {
  const protocol = URL.canParse(text) ? new URL(text).protocol : "";
  return protocol === "http:" || protocol === "https:";
}

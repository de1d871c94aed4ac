/**
 * By what an IP address is counted: an IPv6 address by its first 64 bits, since whoever has one has all that share them (RFC
 * 6177), in the form of RFC 4291. Others, loopback, and what is no address at all, are themselves.
 */
export function ipNetwork(address: string): string {
  if (!address.includes(":") || address.includes(".") || address === "::1") return address;
  const [head = "", tail] = (address.split("%")[0] as string).split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const zeros = Math.max(0, tail === undefined ? 0 : GROUPS - before.length - after.length);
  const all = [...before, ...Array<string>(zeros).fill("0"), ...after];
  const network = all.slice(0, GROUPS / 2).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

const GROUPS = 8;

function groupsOf(text: string): readonly string[] {
  return text === "" ? [] : text.split(":");
}

import { expect, it } from "vitest";
import { ipNetwork } from "../../base/ip-network.ts";

it("counts IPv6 addresses by their first 64 bits, however they are written", () => {
  expect(ipNetwork("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
  expect(ipNetwork("2001:0db8:1:2::9")).toBe("2001:db8:1:2::/64");
  expect(ipNetwork("2001:db8::1")).toBe(ipNetwork("2001:db8:0:0:ffff::"));
  expect(ipNetwork("2001:db8:1:2::1")).not.toBe(ipNetwork("2001:db8:1:3::1"));
  expect(ipNetwork("fe80::1%eth0")).toBe("fe80:0:0:0::/64");
});

it("leaves others as they are", () => {
  for (const same of ["::1", "192.0.2.1", "::ffff:192.0.2.1", "local"]) expect(ipNetwork(same)).toBe(same);
});

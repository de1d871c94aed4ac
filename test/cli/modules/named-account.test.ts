import { expect, it } from "vitest";
import { namedAccount } from "../../../cli/modules/named-account.ts";

const NOBODY = { of: undefined, from: undefined, keyFile: undefined, key: undefined, passwordFile: undefined };
const PATH = "ogpu provider status";

it("is the one that is named, or the sender's", async () => {
  const bob = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
  expect(await namedAccount({ ...NOBODY, of: bob }, PATH)).toBe(bob);
  expect(await namedAccount({ ...NOBODY, from: 1 }, PATH)).toBe(bob);
});

it("is asked for by both where neither is given: nothing is sent", async () => {
  await expect(namedAccount(NOBODY, PATH)).rejects.toMatchObject({
    ...{ code: "USAGE", message: expect.stringMatching(/^whose\? give --of <address>, or --from/) },
    data: { hint: `See: ${PATH} --help` },
  });
});

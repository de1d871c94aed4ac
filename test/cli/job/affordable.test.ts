import { expect, it } from "vitest";
import { requireAffordable } from "../../../cli/job/affordable.ts";

it("refuses a budget that the account has not, and says what it has", () => {
  expect(() => requireAffordable(10n ** 18n + 1n, 10n ** 18n)).toThrow(
    expect.objectContaining({
      ...{ code: "JOB_UNAFFORDABLE" },
      message: "the budget is 1.000000000000000001 oGPU, and the account has 1 oGPU",
    }),
  );
  expect(() => requireAffordable(10n ** 18n, 10n ** 18n)).not.toThrow();
});

import { expect, it } from "vitest";
import { chainRefusal } from "../../../cli/agent/module-sender.ts";

it("names the status that the market tells by a number", () => {
  const refusal = chainRefusal(
    { module: "market", name: "cancel" },
    { name: "WrongStatus", args: [7n, 6] },
    "reverted",
  );
  expect(refusal).toMatchObject({
    ...{ code: "CHAIN_REFUSED", message: "the chain refuses cancel: WrongStatus(7, 6), job 7 is settled" },
    data: { error: "WrongStatus", args: ["7", "6"] },
  });
});

it("tells other errors by their own names, and what is none by the node's words", () => {
  const use = { module: "market", name: "cancel" } as const;
  expect(chainRefusal(use, { name: "NoJob", args: [9n] }, "").message).toBe("the chain refuses cancel: NoJob(9)");
  expect(chainRefusal(use, undefined, "no gas").message).toBe("the chain refuses cancel: no gas");
});

import { expect, it } from "vitest";
import { parametersPage } from "./support/parameters-page.ts";

it("docs/spec/parameters.md is what the table of parameters and the specs say", async () => {
  await expect(parametersPage()).toMatchFileSnapshot("../../docs/spec/parameters.md");
});

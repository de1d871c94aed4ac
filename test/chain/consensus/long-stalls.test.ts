/** Many views go by without a final block: what is said again stays within bounds, and whoever missed them comes back. */
import { describe, expect, it } from "vitest";
import { MAX_CERTIFICATES_SENT } from "../../../chain/consensus/limits.ts";
import type { Message } from "../../../chain/consensus/types.ts";
import { CoreDriver } from "./support/core-driver.ts";

const MANY = 3 * MAX_CERTIFICATES_SENT;

/** What the core has sent since the last time. */
function takeSent(core: CoreDriver): Message[] {
  const messages = core.of("send").map(({ message }) => message);
  core.effects.length = 0;
  return messages;
}

/** Hands on, until nothing more is said, what the one asks for and what the other answers. Gives the requests. */
function answerAll(asking: CoreDriver, answering: CoreDriver): Message[] {
  const asked: Message[] = [];
  for (;;) {
    const requests = takeSent(asking).filter(({ type }) => type === "fetch-certificates");
    if (requests.length === 0) return asked;
    asked.push(...requests);
    for (const request of requests) answering.receive(request);
    for (const answer of takeSent(answering)) if (answer.type === "certificate") asking.receive(answer);
  }
}

describe("a validator that missed many views", () => {
  it("gets all certificates that a proposal needs, in few requests", () => {
    const [ahead, behind] = [new CoreDriver(), new CoreDriver()];
    const view = ahead.viewLedBy("another", MANY);
    ahead.skipTo(view);
    takeSent(ahead);
    behind.certify("NULLIFY", view - 1);
    const block = behind.block(view);
    behind.propose(view, block);
    const asked = answerAll(behind, ahead);
    expect(asked.length).toBeLessThan(6);
    expect(behind.state.guard.slot(view).notarize).toBe(block.hash);
  });
});

/** Many views go by without a final block: what is said again stays within bounds, and whoever missed them comes back. */
import { describe, expect, it } from "vitest";
import { MAX_CERTIFICATES_SENT, MAX_VOTES_RESENT } from "../../../chain/consensus/limits.ts";
import type { Message } from "../../../chain/consensus/types.ts";
import { CoreDriver, voteText } from "./support/core-driver.ts";

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

describe("what a validator says again", () => {
  /** After the second of two timers between which nothing moved. */
  const resend = (core: CoreDriver): void => {
    core.feed({ type: "work", waiting: true });
    core.feed({ type: "timer", timer: "resend" });
    takeSent(core);
    core.feed({ type: "timer", timer: "resend" });
  };
  /** It gives that view up, which ends without it by a certificate of the next one. */
  const giveUp = (core: CoreDriver, view: number): void => {
    core.skipTo(view);
    core.timeOut();
    core.certify("NULLIFY", view + 1);
  };

  it("is no vote of a view whose certificate it has", () => {
    const core = new CoreDriver();
    core.timeOut();
    resend(core);
    expect(core.sent).toEqual([voteText("NULLIFY", 1)]);
    core.certify("NULLIFY", 1);
    core.timeOut();
    resend(core);
    expect(core.sent).toEqual([voteText("NULLIFY", 2)]);
    expect(core.of("send").filter(({ message }) => message.type === "certificate")).toHaveLength(1);
  });

  it("is so many certificates and votes at most, the newest, after any number of views", () => {
    const core = new CoreDriver();
    for (let view = 1; view < 2 * MANY; view += 2) giveUp(core, view);
    resend(core);
    const last = 2 * MANY - 1;
    const views = Array.from({ length: MAX_VOTES_RESENT }, (_, index) => last - 2 * (MAX_VOTES_RESENT - 1 - index));
    expect(core.sent).toEqual(views.map((view) => voteText("NULLIFY", view)));
    const certificates = takeSent(core).flatMap((sent) => (sent.type === "certificate" ? sent.certificate.view : []));
    expect(certificates).toHaveLength(MAX_CERTIFICATES_SENT);
    expect(certificates.at(-1)).toBe(last + 1);
  });

  it("is no more after a restart", () => {
    const core = new CoreDriver();
    for (let view = 1; view < MANY; view += 2) giveUp(core, view);
    core.effects.length = 0;
    core.restart();
    expect(core.sent).toHaveLength(MAX_VOTES_RESENT);
    expect(core.state.rounds.get(1)?.ownVotes).toHaveLength(1);
  });

  it("is its FINALIZE, however many views it has given up since", () => {
    const core = new CoreDriver();
    const view = core.viewLedBy("another");
    core.skipTo(view);
    const block = core.block(view);
    core.propose(view, block);
    core.certify("NOTARIZE", view, block.hash);
    for (let later = view + 1; later < MANY; later += 2) giveUp(core, later);
    resend(core);
    expect(core.sent).toContain(voteText("FINALIZE", view, block.hash));
    expect(core.sent).toHaveLength(MAX_VOTES_RESENT + 1);
  });
});

import { describe, expect, it } from "vitest";
import { Admission } from "../../rpc/admission.ts";
import { ANSWER_WEIGHT, BODY_WEIGHT, DEFAULT_LIMITS } from "../../rpc/limits.ts";

describe("Admission", () => {
  it("has room for so many requests, and again when one has ended, counted once", () => {
    const admission = new Admission({ requestsUnderWay: 2, bytesUnderWay: 1_000 });
    const [first, second, third] = [1, 2, 3].map(() => admission.admit(0));
    expect([first === undefined, second === undefined, third === undefined]).toEqual([false, false, true]);
    first?.end();
    first?.end();
    expect([admission.admit(0) === undefined, admission.admit(0) === undefined]).toEqual([false, true]);
    expect(admission.size).toBe(2);
  });

  it("has room for so many bytes of bodies", () => {
    const admission = new Admission({ requestsUnderWay: 10, bytesUnderWay: 3 * BODY_WEIGHT });
    expect(admission.admit(4)).toBeUndefined();
    const whole = admission.admit(3);
    expect(admission.admit(1)).toBeUndefined();
    whole?.end();
    expect(admission.admit(1)).toBeDefined();
  });

  it("counts answers with bodies until the request has ended", () => {
    const admission = new Admission({ requestsUnderWay: 10, bytesUnderWay: 100 * ANSWER_WEIGHT });
    const ticket = admission.admit(0);
    expect([ticket?.hold(60), ticket?.hold(60), ticket?.hold(40)]).toEqual([true, false, true]);
    expect(admission.admit(1)).toBeUndefined();
    ticket?.end();
    expect([ticket?.hold(1), admission.admit(1) === undefined]).toEqual([false, false]);
  });

  it("leaves room for small requests, whatever those of several addresses hold that do not read or do not send", () => {
    const { requestsUnderWay, bytesUnderWay, bodyBytes, answerBytes } = DEFAULT_LIMITS;
    const admission = new Admission({ requestsUnderWay, bytesUnderWay });
    const take = (address: string): void => {
      // Bodies that are announced and never sent, answers that are never read, down to the last that finds room.
      for (let bytes = bodyBytes; bytes > 1; bytes = Math.floor(bytes / 2)) admission.admit(bytes, address);
      const ticket = admission.admit(0, address);
      for (let bytes = answerBytes; bytes > 1; bytes = Math.floor(bytes / 2)) ticket?.hold(bytes);
    };
    for (let index = 1; index <= 8; index++) take(`192.0.2.${index}`);
    const small = admission.admit(10_000, "198.51.100.1");
    expect(small?.hold(100_000)).toBe(true);
  });

  it("gives all of its room to a large one that is alone", () => {
    const admission = new Admission({ requestsUnderWay: 10, bytesUnderWay: DEFAULT_LIMITS.bytesUnderWay });
    const ticket = admission.admit(0, "192.0.2.1");
    expect(ticket?.hold(Math.floor(DEFAULT_LIMITS.bytesUnderWay / ANSWER_WEIGHT))).toBe(true);
  });
});

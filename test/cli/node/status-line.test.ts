import { expect, it } from "vitest";
import { StatusLine } from "../../../cli/node/status-line.ts";

it("stays at the end while lines pass above it, and is drawn anew only when it changes", () => {
  const written: string[] = [];
  const line = new StatusLine({ write: (text) => written.push(text) });
  line.write("first\n");
  line.show("50%");
  line.show("50%");
  line.write("second\n");
  line.show("");
  line.write("third\n");
  expect(written).toEqual(["first\n", "\r\u001b[K50%", "\r\u001b[Ksecond\n50%", "\r\u001b[K", "third\n"]);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readDashboardIn } from "../../../rpc/dashboard/dashboard-files.ts";
import { MAX_FILE_BYTES } from "../../../rpc/dashboard/limits.ts";
import { addDashboard } from "../../../rpc/dashboard/serve-dashboard.ts";

const folder = mkdtempSync(join(tmpdir(), "ogpu-dashboard-"));
const PAGE = "<!doctype html><title>page</title>";
const SCRIPT = "export const a = 1;";

let app: FastifyInstance;

beforeAll(() => {
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), PAGE);
  writeFileSync(join(folder, "assets/a.js"), SCRIPT);
  writeFileSync(join(folder, "assets/a.js.gz"), gzipSync(SCRIPT));
  writeFileSync(join(folder, "assets/notes.txt"), "not served");
  writeFileSync(join(folder, "assets/huge.js"), new Uint8Array(MAX_FILE_BYTES + 1));
  writeFileSync(join(folder, "secret.js"), "secret");
  app = fastify();
  addDashboard(
    app,
    () => readDashboardIn(folder),
    () => "plain",
  );
});

afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

describe("the dashboard at /", () => {
  it("is a page that may load nothing from elsewhere", async () => {
    const answer = await app.inject("/");
    expect(answer.body).toBe(PAGE);
    const policy = String(answer.headers["content-security-policy"]).split("; ");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.join(" ")).not.toMatch(/unsafe|\*|https?:/);
    expect(answer.headers["cache-control"]).toBe("no-cache");
  });

  it("sends what the browser has already as 304", async () => {
    const { etag } = (await app.inject("/")).headers;
    expect((await app.inject({ url: "/", headers: { "if-none-match": String(etag) } })).statusCode).toBe(304);
  });

  it("sends assets compressed to those who take it, and for ever", async () => {
    const packed = await app.inject({ url: "/assets/a.js", headers: { "accept-encoding": "gzip, br;q=0" } });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(packed.headers["cache-control"]).toContain("immutable");
    const plain = await app.inject("/assets/a.js");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.body).toBe(SCRIPT);
  });

  it.each(["/assets/../secret.js", "/assets/%2e%2e%2fsecret.js", "/assets/notes.txt", "/assets/huge.js", "/secret.js"])(
    "does not serve %s",
    async (url) => {
      expect((await app.inject(url)).statusCode).toBe(404);
    },
  );

  it("is a plain page where none was built", async () => {
    const bare = fastify();
    addDashboard(
      bare,
      () => readDashboardIn(join(folder, "nothing")),
      () => "plain",
    );
    expect((await bare.inject("/")).body).toBe("plain");
    await bare.close();
  });
});

/** The dashboard at `/` of the RPC's port. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { DashboardFile, DashboardFiles, Encoding } from "./dashboard-files.ts";

/** Nothing from elsewhere, no inline script or style, no text taken as HTML or code, no frame around it. */
const SECURITY: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types workers",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

/** Assets carry the hash of their content in their names. */
const FOR_EVER = "public, max-age=31536000, immutable";
const ASK_AGAIN = "no-cache";
/** By preference. */
const ENCODINGS: readonly Encoding[] = ["br", "gzip"];

/** `page` is what people see where no dashboard was built. Files are read when the first of them is asked for. */
export function addDashboard(
  app: FastifyInstance,
  read: () => DashboardFiles | undefined,
  page: (request: FastifyRequest) => string,
): void {
  let files: DashboardFiles | undefined;
  const fileOf = (name: string): DashboardFile | undefined => {
    files ??= read();
    return files?.get(name);
  };
  app.get("/", async (request, reply) => {
    const file = fileOf("index.html");
    if (file === undefined) return reply.type("text/html; charset=utf-8").send(page(request));
    return sendFile(request, reply, file, ASK_AGAIN);
  });
  app.get<{ Params: { readonly name: string } }>("/assets/:name", async (request, reply) => {
    const file = fileOf(`assets/${request.params.name}`);
    return file === undefined ? reply.callNotFound() : sendFile(request, reply, file, FOR_EVER);
  });
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: DashboardFile, caching: string): FastifyReply {
  const etag = `W/"${file.etag}"`;
  reply.headers({ ...SECURITY, etag, "cache-control": caching, vary: "accept-encoding" });
  if (request.headers["if-none-match"]?.includes(etag) === true) return reply.code(304).send();
  const accepted = acceptedEncodings(request.headers["accept-encoding"]);
  const encoding = ENCODINGS.find((name) => accepted.has(name) && file.encoded.has(name));
  const encoded = encoding && file.encoded.get(encoding);
  if (encoding !== undefined) reply.header("content-encoding", encoding);
  return reply.type(file.type).send(encoded ?? file.bytes);
}

/** Names without a weight of zero. */
function acceptedEncodings(header: string | string[] | undefined): ReadonlySet<string> {
  const parts = String(header ?? "")
    .toLowerCase()
    .split(",");
  return new Set(
    parts.filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part)).map((part) => part.split(";")[0]?.trim() ?? ""),
  );
}

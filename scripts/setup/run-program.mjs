/** Runs a program to its end. Asynchronous, so that the lock's heartbeat keeps beating meanwhile. */
import { spawn } from "node:child_process";

/** `{ code, output }`, with both streams in `output`; `code` is "ENOENT" when there is no such program. */
export function runProgram(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    const finish = (code) => resolve({ code, output: Buffer.concat(chunks).toString("utf8") });
    child.on("error", (error) => finish(error.code ?? "ERROR"));
    child.on("close", (code, signal) => finish(signal ?? code));
  });
}

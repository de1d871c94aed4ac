/** Aborted when whoever started the process is gone or closes its end. */
export function inputEnd(): AbortSignal {
  const end = new AbortController();
  process.stdin.on("end", () => end.abort()).on("error", () => end.abort());
  process.stdin.resume();
  return end.signal;
}

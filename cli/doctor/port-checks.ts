/** Ports that a node would listen on, and the node that may be there already. */
import { systemCodeOf } from "../../base/errors.ts";
import { tryListening } from "../devnet/ports.ts";
import { type Finding, fault, look, ok } from "./finding.ts";

export interface Port {
  readonly subject: string;
  readonly host: string;
  readonly port: number;
  readonly option: string;
}

/** `isOurs`: a node of ours runs, and may be what listens there. */
export async function checkPort({ subject, host, port, option }: Port, isOurs: boolean): Promise<Finding> {
  const name = `${subject} port ${port}`;
  const code = await tryListening(host, port).then(
    () => undefined,
    (error: unknown) => systemCodeOf(error) ?? String(error),
  );
  if (code === undefined) return ok(name, "free");
  if (code === "EADDRINUSE" && isOurs) return ok(name, "taken, by the node that answers RPC it seems");
  if (code === "EADDRINUSE")
    return look(name, "another program listens there", `Stop it, or choose another ${option}.`);
  return fault(name, `cannot be listened on (${code})`, `Choose another ${option}.`);
}

/** What went wrong, for people: from the errors of wallets, of the node, and of the modules. */
import { type Described, plainText, spelledOut } from "./sentence.ts";

export interface Problem {
  readonly title: string;
  readonly detail: string;
}

/** What libraries hang onto their errors. */
interface Shaped {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly shortMessage?: unknown;
  readonly details?: unknown;
  readonly cause?: unknown;
  readonly reason?: unknown;
  readonly data?: unknown;
}

/** EIP-1193's codes. */
const REFUSED = 4001;
const UNAUTHORISED = 4100;
const DISCONNECTED = 4900;
/** EIP-1474's: a request is open already. */
const UNAVAILABLE = -32002;

/** Wallets and libraries wrap errors in errors; the innermost say most. */
const MAX_DEPTH = 10;

function chainOf(error: unknown): readonly Shaped[] {
  const found: Shaped[] = [];
  for (let current = error; typeof current === "object" && current !== null && found.length < MAX_DEPTH; ) {
    found.push(current as Shaped);
    current = (current as Shaped).cause;
  }
  return found;
}

export function describeProblem(error: unknown): Problem {
  const chain = chainOf(error);
  const code = chain.map((part) => part.code).find((value) => typeof value === "number" && value !== -32603);
  const names = new Set(chain.map(({ name }) => name));
  if (code === REFUSED || names.has("UserRejectedRequestError")) {
    return { title: "You declined the request in your wallet.", detail: "Nothing was sent." };
  }
  if (code === UNAUTHORISED) {
    return { title: "Your wallet does not let this page use that account.", detail: "Connect it again, then retry." };
  }
  if (code === UNAVAILABLE) {
    return { title: "Your wallet waits for an answer already.", detail: "Open the wallet and finish what it asks." };
  }
  const revert = revertOf(chain);
  if (revert !== undefined) return { title: "The chain would refuse this.", detail: revert };
  if (code === DISCONNECTED) return { title: "The node cannot be reached.", detail: messageOf(chain) };
  const message = messageOf(chain);
  if (/insufficient funds|exceeds the balance|balance/i.test(message)) {
    return { title: "The account has too little oGPU for this.", detail: message };
  }
  return { title: "That did not work.", detail: message };
}

/** The custom error of a module, as viem decodes it. */
function revertOf(chain: readonly Shaped[]): string | undefined {
  for (const { data, reason, name } of chain) {
    if (typeof data === "object" && data !== null && "errorName" in data) {
      const { errorName, args, abiItem } = data as {
        errorName: string;
        args?: readonly unknown[];
        abiItem?: { readonly inputs?: readonly { readonly name?: string; readonly type: string }[] };
      };
      const values = (args ?? []).map((value, index): Described => {
        const input = abiItem?.inputs?.[index];
        return { name: input?.name ?? "", type: input?.type ?? "string", value };
      });
      return `${readable(plainText(spelledOut("", errorName, values)))}.`;
    }
    if (name === "ContractFunctionRevertedError" && typeof reason === "string") return reason;
  }
  return undefined;
}

/** Wei as oGPU. */
function readable(text: string): string {
  return text.replace(/(\d+) wei/g, (_, digits: string) => {
    const padded = digits.padStart(19, "0");
    const fraction = padded.slice(-18).replace(/0+$/, "").slice(0, 6);
    return `${padded.slice(0, -18)}${fraction === "" ? "" : `.${fraction}`} oGPU`;
  });
}

function messageOf(chain: readonly Shaped[]): string {
  const inner = chain.at(-1) ?? {};
  const outer = chain[0] ?? {};
  const text = [inner.details, inner.shortMessage, inner.message, outer.message].find(
    (part): part is string => typeof part === "string" && part !== "",
  );
  const line = (text ?? "No reason was given").split("\n")[0] ?? "";
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Hex } from "viem";
import { Badge, Card, Notice } from "../../components/layout.tsx";
import { lazy } from "../../components/lazy.tsx";
import { SaveLink } from "../../components/save-link.tsx";
import { Hash } from "../../components/values.tsx";
import { formatBytes } from "../../format/hex.ts";
import { node } from "../../state/node.ts";
import { useQuery } from "../../state/use-query.ts";
import { readContent } from "./content-file.ts";
import { Drop } from "./drop.tsx";
import { outputsOf } from "./known-outputs.ts";
import type { OutputTensor } from "./model/messages.ts";
import { fetchChecked, isContentOf } from "./node-blobs.ts";
import type { Job } from "./read-market.ts";

const TensorOutput = lazy(async () => (await import("./tensor-output.tsx")).TensorOutput);

/** What a settled job came to: fetched from the node, held to the address that verifiers checked, then offered. */
export function JobOutputs({ job }: { readonly job: Job }): JSX.Element {
  const endpoint = useQuery(`endpoint ${job.worker}`, async () => {
    const args = [job.worker] as const;
    return (await node.readModule({ module: "providers", functionName: "providerOf", args })).endpoint;
  }).value;
  const known = outputsOf(job.program);
  return (
    <Card title="Outputs">
      <div class="form">
        {job.outputs.map((address, index) => (
          <Output
            key={address}
            name={`job-${job.id}-output-${index}`}
            known={known[index]}
            {...{ address, index, endpoint }}
          />
        ))}
      </div>
    </Card>
  );
}

interface OutputProps {
  readonly name: string;
  readonly address: Hex;
  readonly index: number;
  readonly endpoint: string | undefined;
  /** What a model that was read here says of it. */
  readonly known: OutputTensor | undefined;
}

type State =
  | { readonly kind: "unasked" | "fetching" | "absent" }
  | { readonly kind: "problem"; readonly problem: string }
  | { readonly kind: "checked"; readonly bytes: Uint8Array };

function Output({ name, address, index, endpoint, known }: OutputProps): JSX.Element {
  const [state, setState] = useState<State>({ kind: "unasked" });
  const offer = (bytes: Uint8Array) => setState({ kind: "checked", bytes });
  const ask = async () => {
    setState({ kind: "fetching" });
    const found = await fetchChecked(address);
    if (found.kind === "there") offer(found.bytes);
    else setState(found);
  };
  const compare = async (file: File) => {
    const content = await readContent(file);
    if (typeof content === "string") setState({ kind: "problem", problem: content });
    else if (isContentOf(content.bytes, address)) offer(content.bytes);
    else setState({ kind: "problem", problem: `${file.name} is not what was verified. Do not use it.` });
  };
  return (
    <>
      <div class="row">
        <strong>Output {index}</strong>
        <Hash of={address} />
        {state.kind === "checked" ? (
          <>
            <SaveLink name={`${name}.bin`} bytes={state.bytes}>
              Save {formatBytes(state.bytes.length)}
            </SaveLink>
            <Badge tone="good">Checked here</Badge>
          </>
        ) : (
          <button type="button" class="button" disabled={state.kind === "fetching"} onClick={() => void ask()}>
            Fetch and check
          </button>
        )}
      </div>
      {state.kind === "checked" && <TensorOutput name={name} bytes={state.bytes} known={known} />}
      {state.kind === "problem" && <Notice tone="bad">{state.problem}</Notice>}
      {state.kind === "absent" && <Elsewhere {...{ address, endpoint }} onFile={(file) => void compare(file)} />}
    </>
  );
}

interface ElsewhereProps {
  readonly address: Hex;
  readonly endpoint: string | undefined;
  readonly onFile: (file: File) => void;
}

/** The page may connect to its node alone, so what only the worker has is saved first and then checked. */
function Elsewhere({ address, endpoint = "", onFile }: ElsewhereProps): JSX.Element {
  const isWeb = /^https?:\/\//.test(endpoint);
  return (
    <>
      <Notice>
        This node does not have it.{" "}
        {isWeb ? (
          <>
            Save it <a href={`${endpoint.replace(/\/+$/, "")}/blobs/${address}`}>from the worker</a>, then drop it here
            to have it checked.
          </>
        ) : (
          <>The worker names no address. It can be demanded on the chain (demandOutput of the market).</>
        )}
      </Notice>
      {isWeb && <Drop label="Check a saved file" hint="It is compared with what verifiers checked" onFile={onFile} />}
    </>
  );
}

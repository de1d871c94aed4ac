import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Hex } from "viem";
import { TextField } from "../../components/forms.tsx";
import { Bar, Notice } from "../../components/layout.tsx";
import { formatBytes } from "../../format/hex.ts";
import { readContent } from "./content-file.ts";
import { Drop } from "./drop.tsx";
import { bringBlob } from "./node-blobs.ts";

interface InputsFieldProps {
  /** The bytes of each. */
  readonly summary: { readonly inputs: readonly bigint[] };
  readonly inputs: readonly string[];
  readonly onChange: (inputs: readonly string[]) => void;
}

export function isAddress(text: string | undefined): text is Hex {
  return /^0x[0-9a-f]{64}$/.test(text ?? "");
}

/** One content address per input: of a file that is brought to the node, or pasted where another store serves it. */
export function InputsField({ summary, inputs, onChange }: InputsFieldProps): JSX.Element | null {
  // Uploads end in any order, and each must see what the others have set.
  const latest = useRef(inputs);
  latest.current = inputs;
  if (summary.inputs.length === 0) return <p class="soft">The program needs no inputs.</p>;
  const set = (index: number, value: string) => {
    latest.current = summary.inputs.map((_, at) => (at === index ? value : (latest.current[at] ?? "")));
    onChange(latest.current);
  };
  return (
    <>
      {summary.inputs.map((length, index) => (
        <InputField
          key={index}
          index={index}
          length={length}
          value={inputs[index] ?? ""}
          onChange={(value) => set(index, value)}
        />
      ))}
    </>
  );
}

interface InputFieldProps {
  readonly index: number;
  readonly length: bigint;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

type Upload =
  | { readonly kind: "none" }
  | { readonly kind: "going"; readonly name: string; readonly share: number }
  | { readonly kind: "done"; readonly name: string; readonly address: Hex }
  | { readonly kind: "problem"; readonly problem: string };

function InputField({ index, length, value, onChange }: InputFieldProps): JSX.Element {
  const [upload, setUpload] = useState<Upload>({ kind: "none" });
  const take = async (file: File) => {
    const fail = (problem: string) => setUpload({ kind: "problem", problem });
    const content = await readContent(file);
    if (typeof content === "string") return fail(content);
    if (BigInt(content.bytes.length) !== length) {
      return fail(`${file.name} has ${content.bytes.length} bytes; input ${index} has ${length}.`);
    }
    const { name, address } = content;
    onChange("");
    setUpload({ kind: "going", name, share: 0 });
    const problem = await bringBlob(content, (share) => setUpload({ kind: "going", name, share }));
    if (problem !== undefined) return fail(problem);
    setUpload({ kind: "done", name, address });
    onChange(address);
  };
  return (
    <>
      <div class="form-row">
        <Drop
          label={`Input ${index}`}
          hint={`A file of ${formatBytes(length)}, brought to the node`}
          onFile={(file) => void take(file)}
        />
        <TextField
          label={`Content address of input ${index}`}
          value={value}
          onChange={(text) => onChange(text.trim().toLowerCase())}
          hint="Or paste the address of what a blob store of yours serves to providers."
        />
      </div>
      <UploadState upload={upload} value={value} />
    </>
  );
}

function UploadState({ upload, value }: { readonly upload: Upload; readonly value: string }): JSX.Element | null {
  if (upload.kind === "problem") return <Notice tone="bad">{upload.problem}</Notice>;
  if (upload.kind === "going") {
    const words = `Bringing ${upload.name} to the node: ${Math.floor(100 * upload.share)}%`;
    return (
      <div role="status">
        <Bar label={words} parts={[{ share: upload.share }]} />
        <p class="soft small">{words}</p>
      </div>
    );
  }
  if (upload.kind === "none" || upload.address !== value) return null;
  return (
    <p class="soft small" role="status">
      {upload.name} is on the node, where providers find it.
    </p>
  );
}

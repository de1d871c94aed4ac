/** A dropped ONNX model: what it wants, files for its inputs, and the program that they make. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isCoded } from "../../../../base/errors.ts";
import { describeWanted } from "../../../../compute/onnx/describe-tensor.ts";
import type { WantedTensor } from "../../../../compute/onnx/files/image-tensor.ts";
import type { Tensor } from "../../../../compute/onnx/tensor.ts";
import { SelectField, TextField } from "../../../components/forms.tsx";
import { Answer, Notice } from "../../../components/layout.tsx";
import { useQuery } from "../../../state/use-query.ts";
import { type ContentFile, type ProgramFile, readContent } from "../content-file.ts";
import { Drop } from "../drop.tsx";
import { rememberOutputs } from "../known-outputs.ts";
import { type ImageWords, imageOptionsOf, USUAL_IMAGE } from "./image-words.ts";
import { makeProgram, readInput, readModel } from "./read-model.ts";

interface ModelFormProps {
  readonly file: ContentFile;
  readonly onProgram: (program: ProgramFile | undefined) => void;
}

type Read<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problem: string };

/** What is wrong with a file is for its reader to see, beside the field. */
async function attempt<Value>(name: string, run: () => Promise<Value>): Promise<Read<Value>> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    if (!isCoded(error)) throw error;
    const hint = error.data["hint"];
    return { ok: false, problem: `${name}: ${error.message}.${typeof hint === "string" ? ` ${hint}` : ""}` };
  }
}

export function ModelForm({ file, onProgram }: ModelFormProps): JSX.Element {
  const query = useQuery(`model ${file.address}`, () => attempt(file.name, () => readModel(file.bytes)));
  return (
    <Answer query={query}>
      {(read) =>
        read.ok ? (
          <ModelInputs file={file} inputs={read.value.inputs} onProgram={onProgram} />
        ) : (
          <Notice tone="bad">{read.problem}</Notice>
        )
      }
    </Answer>
  );
}

interface Given {
  readonly name: string;
  readonly tensor: Tensor;
}

interface ModelInputsProps extends ModelFormProps {
  readonly inputs: readonly WantedTensor[];
}

function ModelInputs({ file, inputs, onProgram }: ModelInputsProps): JSX.Element {
  const [given, setGiven] = useState<ReadonlyMap<string, Given>>(new Map());
  const [images, setImages] = useState<ImageWords>(USUAL_IMAGE);
  const [state, setState] = useState<"waiting" | "making" | { readonly problem: string }>("waiting");
  useEffect(() => {
    onProgram(undefined);
    if (inputs.some(({ name }) => !given.has(name))) return setState("waiting");
    let isWanted = true;
    setState("making");
    void makeOf(file, given).then((made) => {
      if (!isWanted) return;
      setState(made.ok ? "waiting" : made);
      if (made.ok) onProgram(made.value);
    });
    return () => {
      isWanted = false;
    };
  }, [given]);
  const options = imageOptionsOf(images);
  return (
    <>
      <p>
        <strong>{file.name}</strong> wants{" "}
        {inputs.length === 0
          ? "no inputs"
          : inputs.map((input) => `${input.name}: ${describeWanted(input)}`).join("; ")}
        .
      </p>
      {inputs.map((wanted) => (
        <InputFile
          key={wanted.name}
          wanted={wanted}
          given={given.get(wanted.name)}
          read={(name, bytes) =>
            typeof options === "string"
              ? Promise.resolve({ ok: false, problem: options })
              : attempt(name, () => readInput({ name, bytes }, wanted, options))
          }
          onGiven={(one) => setGiven((before) => new Map(before).set(wanted.name, one))}
        />
      ))}
      {inputs.some(({ shape }) => shape.length >= 2 && shape.length <= 4) && (
        <ImageFields words={images} onChange={setImages} problem={typeof options === "string" ? options : undefined} />
      )}
      {state === "making" && (
        <p class="soft" role="status" aria-busy="true">
          Making a program of it…
        </p>
      )}
      {typeof state === "object" && <Notice tone="bad">{state.problem}</Notice>}
    </>
  );
}

async function makeOf(file: ContentFile, given: ReadonlyMap<string, Given>): Promise<Read<ProgramFile>> {
  const tensors = new Map([...given].map(([name, { tensor }]) => [name, tensor]));
  return await attempt(file.name, async () => {
    const { program, inputs, constants, outputs } = await makeProgram(file, tensors);
    rememberOutputs(program.address, outputs);
    return { ...program, inputs, constants };
  });
}

interface InputFileProps {
  readonly wanted: WantedTensor;
  readonly given: Given | undefined;
  readonly read: (name: string, bytes: Uint8Array) => Promise<Read<Tensor>>;
  readonly onGiven: (given: Given) => void;
}

function InputFile({ wanted, given, read, onGiven }: InputFileProps): JSX.Element {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const take = async (file: File) => {
    const content = await readContent(file);
    const tensor =
      typeof content === "string" ? { ok: false as const, problem: content } : await read(file.name, content.bytes);
    setProblem(tensor.ok ? undefined : tensor.problem);
    if (tensor.ok) onGiven({ name: file.name, tensor: tensor.value });
  };
  return (
    <>
      <Drop
        label={given === undefined ? `Input ${wanted.name}` : `Input ${wanted.name}: ${given.name}`}
        hint={
          given === undefined
            ? `An .npy, .json or .png file with ${describeWanted(wanted)}`
            : describeWanted(given.tensor)
        }
        accept=".npy,.json,.png"
        onFile={(file) => void take(file)}
      />
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
    </>
  );
}

interface ImageFieldsProps {
  readonly words: ImageWords;
  readonly problem: string | undefined;
  readonly onChange: (words: ImageWords) => void;
}

function ImageFields({ words, problem, onChange }: ImageFieldsProps): JSX.Element {
  const change = (part: Partial<ImageWords>) => onChange({ ...words, ...part });
  return (
    <details>
      <summary>How images become numbers</summary>
      <div class="form-row">
        <SelectField
          label="Channels"
          value={words.layout}
          onChange={(layout) => change({ layout })}
          options={[
            ["", "As the shape says"],
            ["nchw", "First (nchw)"],
            ["nhwc", "Last (nhwc)"],
          ]}
        />
        <TextField
          label="Scale"
          value={words.scale}
          onChange={(scale) => change({ scale })}
          placeholder="1/255"
          hint="number = (byte × scale − mean) / deviation"
          problem={problem}
        />
        <TextField label="Mean" value={words.mean} onChange={(mean) => change({ mean })} />
        <TextField label="Deviation" value={words.std} onChange={(std) => change({ std })} />
      </div>
      <p class="soft small">For images that are dropped after this is changed.</p>
    </details>
  );
}

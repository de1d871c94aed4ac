/** Checked bytes as a tensor: what is in it, and as files that other programs read. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { describeTensor } from "../../../compute/onnx/describe-tensor.ts";
import { bytesOf, type ElementType } from "../../../compute/onnx/element-types.ts";
import { encodeJsonTensor } from "../../../compute/onnx/files/json-tensor.ts";
import { encodeNpy } from "../../../compute/onnx/files/npy.ts";
import type { Tensor } from "../../../compute/onnx/tensor.ts";
import { SelectField, TextField } from "../../components/forms.tsx";
import { Facts, Table } from "../../components/layout.tsx";
import { SaveLink } from "../../components/save-link.tsx";
import type { OutputTensor } from "./model/messages.ts";

const TYPES: readonly ElementType[] = [
  "f32",
  "f64",
  "f16",
  "i8",
  "u8",
  "i16",
  "u16",
  "i32",
  "u32",
  "i64",
  "u64",
  "bool",
];
/** Larger ones are only saved: looking through them would hold up the page. */
const MAX_SHOWN: number = 1 << 22;

interface TensorOutputProps {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What a model says that it is; otherwise the reader does. */
  readonly known: OutputTensor | undefined;
}

/** Sizes whose product is as it must be, or `undefined`. */
function shapeOf(text: string, count: number): readonly number[] | undefined {
  const sizes = text.split(/[\s,x×]+/).filter((part) => part !== "");
  if (!sizes.every((size) => /^\d{1,9}$/.test(size))) return undefined;
  const shape = sizes.map(Number);
  return shape.reduce((product, size) => product * size, 1) === count ? shape : undefined;
}

export function TensorOutput({ name, bytes, known }: TensorOutputProps): JSX.Element {
  const [type, setType] = useState<ElementType>(known?.type ?? "f32");
  const count = bytes.length / bytesOf(type);
  const [text, setText] = useState<string | undefined>(known?.shape.join(", "));
  const shape = shapeOf(text ?? String(count), count);
  return (
    <>
      {known === undefined && (
        <div class="form-row">
          <SelectField
            label="Elements"
            value={type}
            onChange={(chosen) => {
              setType(chosen as ElementType);
              setText(undefined);
            }}
            options={TYPES.map((each) => [each, each])}
            hint="The chain knows bytes only: say what they are"
          />
          <TextField
            label="Shape"
            value={text ?? String(count)}
            onChange={setText}
            problem={shape === undefined ? `${bytes.length} bytes are not so many elements of ${type}.` : undefined}
          />
        </div>
      )}
      {shape !== undefined && <Shown name={name} label={known?.name} tensor={{ type, shape, bytes }} />}
    </>
  );
}

interface ShownProps {
  readonly name: string;
  readonly label: string | undefined;
  readonly tensor: Tensor;
}

function Shown({ name, label, tensor }: ShownProps): JSX.Element {
  const { bytes, type, shape } = tensor;
  const files = useMemo(
    () => ({ npy: encodeNpy(tensor), json: new TextEncoder().encode(encodeJsonTensor(tensor)) }),
    [bytes, type, shape.join()],
  );
  const summary = useMemo(
    () => (bytes.length > MAX_SHOWN ? undefined : describeTensor(label ?? "", tensor, undefined)),
    [bytes, type, shape.join()],
  );
  const round = (value: number | undefined) => (value === undefined ? "—" : String(Number(value.toPrecision(6))));
  return (
    <>
      {summary !== undefined && (
        <Facts
          items={[
            ["Tensor", `${label === undefined ? "" : `${label}: `}${summary.type}`],
            ["Least, mean, most", [summary.least, summary.mean, summary.most].map(round).join(", ")],
            summary.notFinite > 0 && ["NaN or infinite", String(summary.notFinite)],
            ["First elements", summary.first.join(", ")],
          ]}
        />
      )}
      {summary !== undefined && summary.best.length > 0 && (
        <Table
          label="Most likely classes"
          rows={summary.best}
          rowKey={({ row, class: index }) => `${row} ${index}`}
          empty=""
          columns={[
            { name: "Row", isNumber: true, cell: ({ row }) => row },
            { name: "Class", isNumber: true, cell: ({ class: index }) => index },
            { name: "Share", isNumber: true, cell: ({ share }) => `${(100 * share).toFixed(2)}%` },
          ]}
        />
      )}
      <div class="row">
        <SaveLink name={`${name}.npy`} bytes={files.npy} isPlain>
          Save as .npy
        </SaveLink>
        <SaveLink name={`${name}.json`} bytes={files.json} isPlain>
          Save as .json
        </SaveLink>
      </div>
    </>
  );
}

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CheckedKernel } from "../../../../compute/ptx/check.ts";
import type { BufferUse } from "../../../../compute/ptx/pointers.ts";
import { SelectField, TextField } from "../../../components/forms.tsx";
import { formatBytes } from "../../../format/hex.ts";
import { readContent } from "../content-file.ts";
import { Drop } from "../drop.tsx";
import { type ArgumentDraft, scalarTypes } from "./launch-draft.ts";

interface ArgumentFieldsProps {
  readonly checked: CheckedKernel;
  readonly parameter: number;
  readonly argument: ArgumentDraft;
  readonly onChange: (part: Partial<ArgumentDraft>) => void;
}

export function ArgumentFields({ checked, parameter, argument, onChange }: ArgumentFieldsProps): JSX.Element {
  const use = checked.pointers.buffers.get(parameter);
  if (use !== undefined) return <BufferFields {...{ use, parameter, argument, onChange }} />;
  const types = scalarTypes(checked.kernel.parameters[parameter]?.size ?? 0);
  return (
    <div class="form-row">
      <TextField
        label={`Argument ${parameter}`}
        value={argument.value}
        onChange={(value) => onChange({ value })}
        hint={`A number: ${checked.kernel.parameters[parameter]?.name}`}
      />
      <SelectField
        label={`Type of argument ${parameter}`}
        value={argument.type}
        onChange={(type) => onChange({ type })}
        options={types.map((type) => [type, type])}
      />
    </div>
  );
}

function useWords({ loads, stores, reductions }: BufferUse): string {
  const uses = [...(loads ? ["read"] : []), ...(stores || reductions.length > 0 ? ["written"] : [])];
  return uses.length === 0 ? "not used" : uses.join(" and ");
}

interface BufferFieldsProps extends Omit<ArgumentFieldsProps, "checked"> {
  readonly use: BufferUse;
}

function BufferFields({ use, parameter, argument, onChange }: BufferFieldsProps): JSX.Element {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const { file, isInput } = argument;
  const take = async (chosen: File) => {
    const content = await readContent(chosen);
    if (typeof content === "string") return setProblem(content);
    setProblem(undefined);
    onChange({ file: content, bytes: String(content.bytes.length) });
  };
  return (
    <>
      <div class="form-row">
        <SelectField
          label={`Argument ${parameter}`}
          value={isInput ? "input" : "zero"}
          onChange={(kind) => onChange({ isInput: kind === "input", ...(kind === "zero" && { file: undefined }) })}
          options={[
            ["zero", "A buffer of zeros"],
            ["input", "An input"],
          ]}
          hint={`A buffer that is ${useWords(use)}`}
        />
        <TextField
          label={`Bytes of argument ${parameter}`}
          value={argument.bytes}
          onChange={(bytes) => onChange({ bytes, file: undefined })}
          problem={problem}
        />
        {(use.stores || use.reductions.length > 0) && (
          <TextField
            label={`Tile of argument ${parameter}`}
            value={argument.tile}
            onChange={(tile) => onChange({ tile })}
            placeholder="run:1024"
            hint="What a block owns: whole, run:bytes or rows:pitch,width,rows,plane. Empty: equal parts"
          />
        )}
      </div>
      {isInput && (
        <Drop
          label={file === undefined ? `Contents of argument ${parameter}` : file.name}
          hint={file === undefined ? "Or only say how many bytes it has" : formatBytes(file.bytes.length)}
          onFile={(chosen) => void take(chosen)}
        />
      )}
    </>
  );
}

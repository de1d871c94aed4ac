/** A dropped PTX file: which of its kernels can be verified, and one launch of one of them as a program. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { bytesToHex } from "viem";
import { contentAddress } from "../../../../compute/program/merkle.ts";
import { type CheckedKernel, checkModule, type KernelReport } from "../../../../compute/ptx/check.ts";
import { SelectField, TextField } from "../../../components/forms.tsx";
import { Badge, Notice } from "../../../components/layout.tsx";
import type { ContentFile, ProgramFile } from "../content-file.ts";
import { ArgumentFields } from "./argument-fields.tsx";
import { draftFor, type LaunchDraft } from "./launch-draft.ts";
import { makeProgram } from "./make-program.ts";

export interface KernelFormProps {
  readonly file: ContentFile;
  readonly onProgram: (program: ProgramFile) => void;
}

/** Lines of one kernel that are shown. */
const MAX_PROBLEMS = 20;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function reportsOf(text: string): readonly KernelReport[] | string {
  try {
    return checkModule(text);
  } catch (error) {
    return messageOf(error);
  }
}

export function KernelForm({ file, onProgram }: KernelFormProps): JSX.Element {
  const text = useMemo(() => new TextDecoder().decode(file.bytes), [file]);
  const reports = useMemo(() => reportsOf(text), [text]);
  const [entry, setEntry] = useState<string | undefined>(undefined);
  if (typeof reports === "string")
    return <Notice tone="bad">{`${file.name} cannot be read as PTX: ${reports}`}</Notice>;
  const good = reports.flatMap(({ checked }) => (checked === undefined ? [] : [checked]));
  const chosen = good.find(({ kernel }) => kernel.name === entry) ?? good[0];
  return (
    <>
      {reports.length === 0 && <Notice tone="warn">{file.name} has no kernel (.entry).</Notice>}
      {reports.map((report) => (
        <KernelVerdict key={report.name} report={report} lines={text.split("\n")} />
      ))}
      {chosen !== undefined && (
        <>
          <SelectField
            label="Kernel"
            value={chosen.kernel.name}
            onChange={setEntry}
            options={good.map(({ kernel }) => [kernel.name, kernel.name])}
          />
          <LaunchForm key={`${file.address} ${chosen.kernel.name}`} {...{ file, text, checked: chosen, onProgram }} />
        </>
      )}
    </>
  );
}

function KernelVerdict({
  report: { name, problems, checked },
  lines,
}: {
  readonly report: KernelReport;
  readonly lines: readonly string[];
}): JSX.Element {
  if (checked !== undefined) {
    return (
      <p>
        <strong>{name}</strong> <Badge tone="good">can be verified</Badge>
      </p>
    );
  }
  return (
    <Notice tone="bad">
      <strong>{name} cannot be verified.</strong>
      <ul>
        {problems.slice(0, MAX_PROBLEMS).map(({ message, data }, index) => (
          <li key={index}>
            {message} <code>{lines[Number(data["line"]) - 1]?.trim()}</code>
          </li>
        ))}
      </ul>
      {problems.length > MAX_PROBLEMS && `And ${problems.length - MAX_PROBLEMS} more.`}
    </Notice>
  );
}

interface LaunchFormProps extends KernelFormProps {
  readonly text: string;
  readonly checked: CheckedKernel;
}

function LaunchForm({ file, text, checked, onProgram }: LaunchFormProps): JSX.Element {
  const [draft, setDraft] = useState<LaunchDraft>(() => draftFor(checked));
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const change = (part: Partial<LaunchDraft>) => setDraft({ ...draft, ...part });
  const make = () => {
    try {
      const bytes = makeProgram(text, checked, draft);
      const inputs = draft.arguments.filter(
        ({ isInput }, parameter) => isInput && checked.pointers.buffers.has(parameter),
      );
      const name = `${checked.kernel.name}.program`;
      onProgram({
        name,
        bytes,
        address: bytesToHex(contentAddress(bytes)),
        inputs: inputs.map((input) => input.file),
        constants: [],
      });
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      <div class="form-row">
        <TextField label="Grid" value={draft.grid} onChange={(grid) => change({ grid })} hint="Blocks, as in 16x16" />
        <TextField label="Block" value={draft.block} onChange={(block) => change({ block })} hint="Threads of each" />
        <TextField
          label="Shared memory"
          value={draft.shared}
          onChange={(shared) => change({ shared })}
          hint="Bytes beside what the kernel declares"
        />
      </div>
      {draft.arguments.map((argument, parameter) => (
        <ArgumentFields
          key={parameter}
          {...{ checked, parameter, argument }}
          onChange={(part) =>
            setDraft((before) => ({
              ...before,
              arguments: before.arguments.map((old, at) => (at === parameter ? { ...old, ...part } : old)),
            }))
          }
        />
      ))}
      <div class="form-row">
        <TextField
          label="Compute units of a tile"
          value={draft.fuel}
          onChange={(fuel) => change({ fuel })}
          hint="Empty: twice what the first, middle and last one use when they are tried here"
        />
        <TextField
          label="Bytes that a tile may touch"
          value={draft.bytes}
          onChange={(bytes) => change({ bytes })}
          hint="Empty: measured likewise"
        />
      </div>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <div class="row">
        <button type="button" class="button primary" onClick={make}>
          Make the program of {file.name}
        </button>
      </div>
    </>
  );
}

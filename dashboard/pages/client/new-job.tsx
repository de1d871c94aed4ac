import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { NeedsWallet } from "../../components/forms.tsx";
import { Card, Notice } from "../../components/layout.tsx";
import { lazy } from "../../components/lazy.tsx";
import { type ContentFile, type ProgramFile, readContent } from "./content-file.ts";
import { Drop } from "./drop.tsx";
import type { Published } from "./published.ts";

const KernelForm = lazy(async () => (await import("./kernel/kernel-form.tsx")).KernelForm);
const ModelForm = lazy(async () => (await import("./model/model-form.tsx")).ModelForm);
const SubmitForm = lazy(async () => (await import("./submit/submit-form.tsx")).SubmitForm);

/** What was dropped: a program, or a model or a kernel that becomes one here. */
interface Dropped {
  readonly program?: ProgramFile | undefined;
  readonly kernel?: ContentFile;
  readonly model?: ContentFile;
  readonly problem?: string;
}

async function readDropped(file: File): Promise<Dropped> {
  if (/\.cu$/i.test(file.name)) {
    const ptx = file.name.replace(/cu$/i, "ptx");
    return { problem: `Compile it first, and drop the PTX: nvcc -ptx -fmad=false ${file.name} -o ${ptx}` };
  }
  const content = await readContent(file);
  if (typeof content === "string") return { problem: content };
  if (/\.onnx$/i.test(file.name)) return { model: content };
  return /\.ptx$/i.test(file.name) ? { kernel: content } : { program: { ...content, inputs: [], constants: [] } };
}

interface NewJobProps {
  readonly onAuction: (published: Published) => void;
  readonly onSource: (source: bigint) => void;
}

export function NewJob({ onAuction, onSource }: NewJobProps): JSX.Element {
  const [{ program, kernel, model, problem }, setDropped] = useState<Dropped>({});
  return (
    <Card title="New job">
      <div class="form">
        <Drop
          label="Drop a model, a kernel or a program"
          hint="ONNX, PTX, or an encoded program. Everything happens in this page until you submit"
          onFile={(chosen) => void readDropped(chosen).then(setDropped)}
        />
        {problem !== undefined && <Notice tone="warn">{problem}</Notice>}
        {model !== undefined && (
          <ModelForm key={model.address} file={model} onProgram={(made) => setDropped({ model, program: made })} />
        )}
        {kernel !== undefined && (
          <KernelForm key={kernel.address} file={kernel} onProgram={(made) => setDropped({ kernel, program: made })} />
        )}
        {program !== undefined && <SubmitForm key={program.address} {...{ program, onAuction, onSource }} />}
        <NeedsWallet what="submit it" />
      </div>
    </Card>
  );
}

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { Icon } from "../../components/icons.tsx";

interface DropProps {
  readonly label: string;
  readonly hint: string;
  readonly accept?: string;
  readonly onFile: (file: File) => void;
}

/** A place for a file: dropped, or chosen by keyboard as well. */
export function Drop({ label, hint, accept, onFile }: DropProps): JSX.Element {
  const id = useId();
  const [isOver, setOver] = useState(false);
  return (
    <label
      class="drop"
      for={id}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const file = event.dataTransfer?.files[0];
        if (file !== undefined) onFile(file);
      }}
    >
      <Icon name="client" />
      <strong>{label}</strong>
      <span class="small">{hint}</span>
      <input
        id={id}
        type="file"
        accept={accept}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file !== undefined) onFile(file);
        }}
      />
    </label>
  );
}

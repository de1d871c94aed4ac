import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

interface SaveLinkProps {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly isPlain?: boolean;
  readonly children: ComponentChildren;
}

/** Saves bytes that the page has as a file. */
export function SaveLink({ name, bytes, isPlain = false, children }: SaveLinkProps): JSX.Element {
  const [url, setUrl] = useState("");
  useEffect(() => {
    const made = URL.createObjectURL(
      new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "application/octet-stream" }),
    );
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  return (
    <a class={isPlain ? "button" : "button primary"} href={url} download={name}>
      {children}
    </a>
  );
}

import type { JSX } from "preact";
import { formatShare } from "../format/amounts.ts";
import { shortHex } from "../format/hex.ts";
import { formatRoute } from "../router/route.ts";
import type { Part, Sentence } from "../words/sentence.ts";
import { Address, Ago, Amount } from "./values.tsx";

export function Words({ of }: { readonly of: Sentence }): JSX.Element {
  return (
    <span class="words">
      {of.map((part, index) => (
        <PartView key={index} part={part} />
      ))}
    </span>
  );
}

function PartView({ part }: { readonly part: Part }): JSX.Element {
  if (typeof part === "string") return <>{part}</>;
  switch (part.kind) {
    case "address":
      return <Address of={part.address} />;
    case "amount":
      return <Amount wei={part.wei} />;
    case "share":
      return <>{formatShare(part.millionths)}</>;
    case "time":
      return part.seconds === 0n ? <>now</> : <Ago time={1000 * Number(part.seconds)} />;
    case "proposal":
      return <a href={formatRoute({ page: "proposal", id: String(part.id) })}>proposal {String(part.id)}</a>;
    case "job":
      return <a href={formatRoute({ page: "job", id: String(part.id) })}>job {String(part.id)}</a>;
    case "code":
      return <code title={part.text}>{shortHex(part.text, 8, 4)}</code>;
  }
}

import type { JSX } from "preact";
import type { VerifiedBlock } from "../../../chain/light-client/block-verifier.ts";
import { Icon } from "../../components/icons.tsx";
import { Badge, Notice } from "../../components/layout.tsx";
import { formatRatio } from "../../format/amounts.ts";

interface VerifiedHereProps {
  readonly result: VerifiedBlock | undefined;
  readonly error: unknown;
  /** Of the block that the page shows. */
  readonly hash: string;
}

/** What the reader's own browser has found about a block, in one line. */
export function VerifiedHere({ result, error, hash }: VerifiedHereProps): JSX.Element {
  if (error !== undefined) return <Badge>Not verified: the node gave no proof</Badge>;
  if (result === undefined) return <Badge>Verifying in this browser…</Badge>;
  const { verdict, signedWeight = 0n, totalWeight = 0n } = result;
  if (verdict !== "trusted") return <Badge tone="bad">Verification failed: {verdict.replaceAll("-", " ")}</Badge>;
  if (result.hash !== hash) return <Badge tone="bad">The node shows another block than was signed</Badge>;
  return (
    <Badge tone="good">
      <Icon name="shield" />
      Verified here: signed by {formatRatio(signedWeight, totalWeight)} of stake
    </Badge>
  );
}

export function VerificationNote({ result }: { readonly result: VerifiedBlock | undefined }): JSX.Element | null {
  if (result === undefined) return null;
  if (result.verdict !== "trusted") {
    return (
      <Notice tone="bad">
        The certificate that this node gave does not prove the block ({result.verdict.replaceAll("-", " ")}). Ask
        another node before you rely on it.
      </Notice>
    );
  }
  return (
    <p class="soft small">
      A light client in this page computed the block’s hash from its header and checked one BLS signature of more than
      two thirds of the stake. It takes the validators of epoch {result.anchorEpoch} as this node names them, and proves
      all later ones.
    </p>
  );
}

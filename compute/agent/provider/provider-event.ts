import type { ChainAction } from "../ports.ts";

/** For the operator's log. */
export type ProviderEvent =
  | { readonly kind: "sent"; readonly action: ChainAction["kind"]; readonly job: bigint | undefined }
  | {
      readonly kind: "refused";
      readonly action: ChainAction["kind"];
      readonly job: bigint | undefined;
      readonly error: string;
    }
  | { readonly kind: "running"; readonly job: bigint; readonly segment: number }
  | {
      readonly kind: "computed";
      readonly job: bigint;
      readonly segment: number;
      readonly milliseconds: number;
      readonly device: string;
      readonly distrusted: string | null;
    }
  /** Its result was not believed because of this tile; whether the reference finds it as it was committed. */
  | {
      readonly kind: "accused";
      readonly job: bigint;
      readonly launch: number;
      readonly tile: number;
      readonly isRight: boolean;
    }
  | { readonly kind: "declined"; readonly what: string; readonly reason: string }
  | { readonly kind: "problem"; readonly job: bigint | undefined; readonly code: string; readonly message: string };

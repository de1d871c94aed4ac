export interface ChartProps {
  /** Said to those who do not see it. */
  readonly label: string;
  /** Along the bottom: block numbers, or milliseconds since 1970. */
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
  readonly kind: "line" | "bars";
  readonly isTime?: boolean;
  readonly color?: "--chart-1" | "--chart-2" | "--chart-3";
  readonly format: (value: number) => string;
}

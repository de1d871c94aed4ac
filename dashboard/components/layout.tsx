/** Cards, headings, tables, and what stands in their place when there is nothing to show. */
import type { ComponentChildren, JSX } from "preact";
import { describeProblem } from "../words/problem.ts";

interface Children {
  readonly children?: ComponentChildren;
}

export function PageHead({
  title,
  intro,
  children,
}: Children & { readonly title: string; readonly intro?: string }): JSX.Element {
  return (
    <div class="page-head">
      <h1>{title}</h1>
      {children}
      {intro !== undefined && <p>{intro}</p>}
    </div>
  );
}

interface CardProps extends Children {
  readonly title: string;
  readonly action?: ComponentChildren;
  /** Its content reaches the edges, as a table does. */
  readonly flush?: boolean;
}

export function Card({ title, action, flush = false, children }: CardProps): JSX.Element {
  return (
    <section class="card" aria-label={title}>
      <div class="card-head">
        <h2>{title}</h2>
        {action}
      </div>
      <div class={flush ? "card-body flush" : "card-body"}>{children}</div>
    </section>
  );
}

export interface StatProps {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly note?: ComponentChildren;
}

export function Stats({ items }: { readonly items: readonly StatProps[] }): JSX.Element {
  return (
    <dl class="stats">
      {items.map(({ label, value, note }) => (
        <div class="stat" key={label}>
          <dt>{label}</dt>
          <dd>
            {value ?? <span class="skeleton" />}
            {note !== undefined && <div class="note">{note}</div>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export type Fact = readonly [name: string, value: ComponentChildren];

export function Facts({ items }: { readonly items: readonly (Fact | false | undefined)[] }): JSX.Element {
  return (
    <dl class="facts">
      {items.map((item) =>
        item ? (
          <div key={item[0]}>
            <dt>{item[0]}</dt>
            <dd>{item[1]}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Takes a line of its own on a narrow screen. */
  readonly isLong?: boolean;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly empty: ComponentChildren;
}

export function Table<Row>({ label, columns, rows, rowKey, empty }: TableProps<Row>): JSX.Element {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <div class="table-scroll">
      <table class="folds">
        <caption class="spoken">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" class={isNumber ? "right" : undefined}>
                {name === "" ? <span class="spoken">Actions</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ name, cell, isNumber, isLong }) => (
                <td key={name} data-label={name} class={isNumber ? "right" : isLong ? "long" : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Empty({ title, children }: Children & { readonly title?: string }): JSX.Element {
  return (
    <div class="empty">
      {title !== undefined && <strong>{title}</strong>}
      {children}
    </div>
  );
}

export type Tone = "plain" | "good" | "warn" | "bad" | "accent";

export function Badge({ tone = "plain", children }: Children & { readonly tone?: Tone }): JSX.Element {
  return <span class={tone === "plain" ? "badge" : `badge ${tone}`}>{children}</span>;
}

export function Notice({ tone = "plain", children }: Children & { readonly tone?: Tone }): JSX.Element {
  return (
    <div class={tone === "plain" ? "notice" : `notice ${tone}`} role={tone === "bad" ? "alert" : undefined}>
      {children}
    </div>
  );
}

/** What a question to the node came to: its answer, that it has not come, or why it will not. */
export function Answer<Value>({
  query,
  children,
}: {
  readonly query: { readonly value: Value | undefined; readonly error: unknown; readonly again: () => void };
  readonly children: (value: Value) => ComponentChildren;
}): JSX.Element {
  if (query.value !== undefined) return <>{children(query.value)}</>;
  if (query.error === undefined) {
    return (
      <div class="empty" aria-busy="true">
        <span class="skeleton" /> <span class="spoken">Loading</span>
      </div>
    );
  }
  const { title, detail } = describeProblem(query.error);
  return (
    <Notice tone="bad">
      <strong>{title}</strong> {detail}{" "}
      <button type="button" class="button small" onClick={query.again}>
        Try again
      </button>
    </Notice>
  );
}

/** A page about one thing: it has its heading also while the thing is fetched, or is not there. */
export function AnswerPage<Value>({
  title,
  query,
  children,
}: {
  readonly title: string;
  readonly query: { readonly value: Value | undefined; readonly error: unknown; readonly again: () => void };
  readonly children: (value: Value) => ComponentChildren;
}): JSX.Element {
  return (
    <>
      {query.value === undefined && <PageHead title={title} />}
      <Answer query={query}>{children}</Answer>
    </>
  );
}

export interface BarPart {
  readonly share: number;
  readonly tone?: "accent" | "good" | "bad" | "warn" | "soft";
}

/** What it shows must also stand beside it in words. */
export function Bar({ parts, label }: { readonly parts: readonly BarPart[]; readonly label: string }): JSX.Element {
  return (
    <div class="bar" role="img" aria-label={label}>
      {parts.map(({ share, tone = "accent" }, index) => (
        <span key={index} class={tone} style={{ width: `${Math.min(100, 100 * share)}%` }} />
      ))}
    </div>
  );
}

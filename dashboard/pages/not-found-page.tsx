import type { JSX } from "preact";
import { Card, Empty, PageHead } from "../components/layout.tsx";

export function NotFoundPage(): JSX.Element {
  return (
    <>
      <PageHead title="Not found" />
      <Card title="There is no such page">
        <Empty title="This address leads nowhere.">
          Go to the <a href="#/network">network</a>, or search above.
        </Empty>
      </Card>
    </>
  );
}

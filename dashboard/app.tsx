/** Which page an address shows. Pages that few open first are fetched when they are. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { lazy } from "./components/lazy.tsx";
import { Shell } from "./components/shell.tsx";
import { NetworkPage } from "./pages/network/network-page.tsx";
import { NotFoundPage } from "./pages/not-found-page.tsx";
import type { Route } from "./router/route.ts";
import { useRoute } from "./router/use-route.ts";
import { status } from "./state/live.ts";
import { useStore } from "./state/use-store.ts";
import { testAccounts } from "./wallet/wallet.ts";

const ExplorerPage = lazy(async () => (await import("./pages/explorer/explorer-page.tsx")).ExplorerPage);
const BlockPage = lazy(async () => (await import("./pages/explorer/block-page.tsx")).BlockPage);
const TransactionPage = lazy(async () => (await import("./pages/explorer/transaction-page.tsx")).TransactionPage);
const AccountPage = lazy(async () => (await import("./pages/explorer/account-page.tsx")).AccountPage);
const SearchPage = lazy(async () => (await import("./pages/explorer/search-page.tsx")).SearchPage);

const ValidatorsPage = lazy(async () => (await import("./pages/validators/validators-page.tsx")).ValidatorsPage);
const ValidatorPage = lazy(async () => (await import("./pages/validators/validator-page.tsx")).ValidatorPage);
const GovernancePage = lazy(async () => (await import("./pages/governance/governance-page.tsx")).GovernancePage);
const ProposalPage = lazy(async () => (await import("./pages/governance/proposal-page.tsx")).ProposalPage);
const ClientPage = lazy(async () => (await import("./pages/client/client-page.tsx")).ClientPage);
const JobPage = lazy(async () => (await import("./pages/client/job-page.tsx")).JobPage);
const ProviderPage = lazy(async () => (await import("./pages/provider/provider-page.tsx")).ProviderPage);
const ProviderDetailPage = lazy(
  async () => (await import("./pages/provider/provider-detail-page.tsx")).ProviderDetailPage,
);
const MonitoringPage = lazy(async () => (await import("./pages/monitoring/monitoring-page.tsx")).MonitoringPage);

const TITLES: Readonly<Record<Route["page"], string>> = {
  network: "Network",
  explorer: "Explorer",
  block: "Block",
  transaction: "Transaction",
  account: "Account",
  validators: "Validators",
  validator: "Validator",
  governance: "Governance",
  proposal: "Proposal",
  client: "Client",
  job: "Job",
  provider: "Provider",
  "provider-detail": "Provider",
  monitoring: "Monitoring",
  search: "Search",
  unknown: "Not found",
};

export function App(): JSX.Element {
  const route = useRoute();
  const isDevelopment = useStore(status)?.development === true;
  useEffect(() => {
    document.title = `${TITLES[route.page]} · OpenGPU`;
  }, [route]);
  useEffect(() => {
    // So that they have names wherever they show up.
    if (isDevelopment) testAccounts().catch(() => undefined);
  }, [isDevelopment]);
  return (
    <Shell route={route}>
      <Page route={route} />
    </Shell>
  );
}

function Page({ route }: { readonly route: Route }): JSX.Element {
  switch (route.page) {
    case "network":
      return <NetworkPage />;
    case "explorer":
      return <ExplorerPage />;
    case "block":
      return <BlockPage key={route.id} id={route.id} />;
    case "transaction":
      return <TransactionPage key={route.hash} hash={route.hash} />;
    case "account":
      return <AccountPage key={route.address} address={route.address} />;
    case "search":
      return <SearchPage key={route.text} text={route.text} />;
    case "validators":
      return <ValidatorsPage />;
    case "validator":
      return <ValidatorPage key={route.operator} operator={route.operator} />;
    case "governance":
      return <GovernancePage />;
    case "proposal":
      return <ProposalPage key={route.id} id={route.id} />;
    case "client":
      return <ClientPage />;
    case "job":
      return <JobPage key={route.id} id={route.id} />;
    case "provider":
      return <ProviderPage />;
    case "provider-detail":
      return <ProviderDetailPage key={route.address} address={route.address} />;
    case "monitoring":
      return <MonitoringPage />;
    default:
      return <NotFoundPage />;
  }
}

/** Addresses inside the page: what stands behind the `#`. Pure, so that a link and what it leads to are tested together. */

export type Route =
  | { readonly page: "network" }
  | { readonly page: "explorer" }
  | { readonly page: "block"; readonly id: string }
  | { readonly page: "transaction"; readonly hash: string }
  | { readonly page: "account"; readonly address: string }
  | { readonly page: "validators" }
  | { readonly page: "validator"; readonly operator: string }
  | { readonly page: "governance" }
  | { readonly page: "proposal"; readonly id: string }
  | { readonly page: "client" }
  | { readonly page: "job"; readonly id: string }
  | { readonly page: "provider" }
  | { readonly page: "provider-detail"; readonly address: string }
  | { readonly page: "monitoring" }
  | { readonly page: "search"; readonly text: string }
  | { readonly page: "unknown"; readonly path: string };

export type PageName = Route["page"];

const SIMPLE = ["network", "explorer", "validators", "governance", "client", "provider", "monitoring"] as const;

export function parseRoute(hash: string): Route {
  const path = hash.replace(/^#?\/?/, "").replace(/\/+$/, "");
  const [page = "", rest = "", ...more] = path.split("/").map(decoded);
  if (more.length > 0) return { page: "unknown", path };
  if (page === "") return { page: "network" };
  const simple = SIMPLE.find((name) => name === page);
  if (simple !== undefined && rest === "") return { page: simple };
  if (rest === "") return { page: "unknown", path };
  switch (page) {
    case "block":
    case "proposal":
    case "job":
      return { page, id: rest };
    case "transaction":
      return { page, hash: rest };
    case "account":
      return { page, address: rest };
    case "provider":
      return { page: "provider-detail", address: rest };
    case "validator":
      return { page, operator: rest };
    case "search":
      return { page, text: rest };
    default:
      return { page: "unknown", path };
  }
}

export function formatRoute(route: Route): string {
  switch (route.page) {
    case "block":
    case "proposal":
    case "job":
      return `#/${route.page}/${encodeURIComponent(route.id)}`;
    case "transaction":
      return `#/transaction/${encodeURIComponent(route.hash)}`;
    case "account":
      return `#/account/${encodeURIComponent(route.address)}`;
    case "provider-detail":
      return `#/provider/${encodeURIComponent(route.address)}`;
    case "validator":
      return `#/validator/${encodeURIComponent(route.operator)}`;
    case "search":
      return `#/search/${encodeURIComponent(route.text)}`;
    case "unknown":
      return `#/${route.path}`;
    default:
      return `#/${route.page}`;
  }
}

/** An address may have been typed: what is no encoding stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** JSON-RPC over HTTP, as any client would speak it. */

export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly code?: string };
}

export type RpcAnswer<Result> = { readonly result: Result } | { readonly error: RpcFailure };

/** Much longer than a node takes: it may have a core to share with a dozen others. */
const TIMEOUT = 60_000;
/** As the node bounds it. */
const MAX_BATCH = 500;

/** Rejects when nobody answers, or something else than JSON-RPC. */
export async function request<Result>(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<RpcAnswer<Result>> {
  return await post(url, { jsonrpc: "2.0", id: 1, method, params });
}

/** Rejects also when the node refuses. */
export async function call<Result>(url: string, method: string, params: readonly unknown[] = []): Promise<Result> {
  return resultOf(await request<Result>(url, method, params));
}

/** The same method for each of the parameters. */
export async function callAll<Result>(
  url: string,
  method: string,
  all: readonly (readonly unknown[])[],
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < all.length; start += MAX_BATCH) {
    const batch = all.slice(start, start + MAX_BATCH);
    const answers = await post<readonly (RpcAnswer<Result> & { readonly id: number })[]>(
      url,
      batch.map((params, id) => ({ jsonrpc: "2.0", id, method, params })),
    );
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    for (const id of batch.keys()) results.push(resultOf<Result>(byId.get(id) ?? missing(method)));
  }
  return results;
}

async function post<Answer>(url: string, body: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT),
  });
  // A node that stops or has too much to do says so in HTTP.
  if (response.status !== 200) throw new Error(`the node answers with ${response.status}`);
  return (await response.json()) as Answer;
}

function missing(method: string): RpcAnswer<never> {
  return { error: { code: 0, message: `no answer to a ${method} of a batch` } };
}

function resultOf<Result>(answer: RpcAnswer<Result>): Result {
  if ("error" in answer) throw new Error(`the node refuses: ${answer.error.message}`);
  return answer.result;
}

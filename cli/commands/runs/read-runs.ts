import type { RunSummary } from "../../../server/contract/run.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { runsAnswer } from "../triggers/trigger-answers.ts";

/** Pages of a filter that looks far back are short, or empty: somebody waits, so it ends. */
const maxPages = 100;

/** The newest runs of a filter, as many as asked for, over as many pages as it takes. */
export async function readRuns(
  api: ApiClient,
  { limit, ...filter }: Record<string, string | number | undefined> & { limit: number },
): Promise<{ data: RunSummary[]; nextCursor: string | null }> {
  const data: RunSummary[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page++) {
    const query: Record<string, string | number | undefined> = {
      ...filter,
      limit: limit - data.length,
      ...(cursor === null ? {} : { cursor }),
    };
    const answer = await api.request({ path: "/runs", query, answer: runsAnswer });
    data.push(...answer.data);
    cursor = answer.nextCursor;
    if (cursor === null || data.length >= limit) break;
  }
  return { data, nextCursor: cursor };
}

import type { RunSummary } from "../../../server/contract/run.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { runsAnswer } from "../triggers/trigger-answers.ts";

/** A limit, because pages of a selective filter can be short or empty. */
const maxPages = 100;

/** The newest runs of a filter, up to the limit, from several pages if necessary. */
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

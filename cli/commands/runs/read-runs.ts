import { type Run, runSchema, type RunSummary } from "../../../server/contract/run.ts";
import { type ApiClient, apiPath, withSuggestedId } from "../../api/api-client.ts";
import { findRunningServer, readClientSettings } from "../../api/running-server.ts";
import type { CommandContext } from "../command-context.ts";
import { runsAnswer } from "../triggers/trigger-answers.ts";

export const findsRuns = "Run `signalbox runs list` to see recent runs.";

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

/** A request about a run. If the id is unknown, the failure suggests a similar one. */
export function aboutRun<T>(api: ApiClient, id: string, request: () => Promise<T>): Promise<T> {
  return withSuggestedId({
    id,
    request,
    knownIds: async () =>
      (await api.request({ path: "/runs", query: { limit: 100 }, answer: runsAnswer })).data.map((run) => run.id),
  });
}

/** Prints a message if no service on this machine would execute the run. */
export function notifyIfIdle({ projectDir, notify }: Pick<CommandContext, "projectDir" | "notify">): void {
  if (readClientSettings() || findRunningServer(projectDir)) return;
  notify("No service runs for this project. The run waits until you start `signalbox dev` or `signalbox start`.");
}

/** Resolves with the run when it has ended, without a time limit. */
export async function waitForRun(api: ApiClient, id: string): Promise<Run> {
  let run = await api.request({ path: apiPath`/runs/${id}`, query: { wait: 30 }, answer: runSchema });
  while (run.finishedAt === null)
    run = await api.request({ path: apiPath`/runs/${id}`, query: { wait: 30 }, answer: runSchema });
  return run;
}

import type { Page } from "../../../server/contract/list.ts";
import { type Run, runSchema, type RunSummary } from "../../../server/contract/run.ts";
import { apiPath } from "../../../server/contract/api-request.ts";
import { type ApiClient, readRows, type RowFilter, withSuggestedId } from "../../api/api-client.ts";
import { findRunningServer, readClientSettings } from "../../api/running-server.ts";
import type { CommandContext } from "../command-context.ts";
import { runsAnswer } from "../triggers/trigger-answers.ts";

export const findsRuns = "Run `signalbox runs list` to see recent runs.";

/** The newest runs of a filter, up to the limit, from several pages if necessary. */
export function readRuns(api: ApiClient, filter: RowFilter): Promise<Page<RunSummary>> {
  return readRows(api, { path: "/runs", answer: runsAnswer }, filter);
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

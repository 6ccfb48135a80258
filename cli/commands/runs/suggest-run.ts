import type { ApiClient } from "../../api/api-client.ts";
import { withSuggestedId } from "../suggest-id.ts";
import { runsAnswer } from "../triggers/trigger-answers.ts";

export const findsRuns = "Run `signalbox runs list` to see recent runs.";

/** A request about a run. If the id is unknown, the failure suggests a similar one. */
export function aboutRun<T>(api: ApiClient, id: string, request: () => Promise<T>): Promise<T> {
  return withSuggestedId({
    id,
    request,
    knownIds: async () =>
      (await api.request({ path: "/runs", query: { limit: 100 }, answer: runsAnswer })).data.map((run) => run.id),
  });
}

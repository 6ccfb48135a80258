import { type Run, runSchema } from "../../../server/contract/run.ts";
import { type ApiClient, apiPath } from "../../api/api-client.ts";

/** Resolves with the run when it has ended, without a time limit. */
export async function waitForRun(api: ApiClient, id: string): Promise<Run> {
  let run = await api.request({ path: apiPath`/runs/${id}`, query: { wait: 30 }, answer: runSchema });
  while (run.finishedAt === null)
    run = await api.request({ path: apiPath`/runs/${id}`, query: { wait: 30 }, answer: runSchema });
  return run;
}

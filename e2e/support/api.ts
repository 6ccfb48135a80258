import type { RecordedDeliveryLine } from "../../server/contract/backtest.ts";
import type { Run } from "../../server/contract/run.ts";
import type { TimelineEntry } from "../../server/contract/timeline.ts";

/** The requests of the tests to a running service, as a client. */
export async function getJson<T>(url: string, headers: Record<string, string> = {}): Promise<T> {
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`GET ${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

export async function postJson(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/** All deliveries of a service, with their bodies. */
export async function exportDeliveries(
  service: { url: string },
  headers: Record<string, string> = {},
): Promise<RecordedDeliveryLine[]> {
  const response = await fetch(`${service.url}/api/v1/deliveries/export`, { headers });
  const text = await response.text();
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as RecordedDeliveryLine]));
}

export async function waitForRun(
  service: { url: string },
  runId: string,
  headers: Record<string, string> = {},
): Promise<Run> {
  for (let tries = 0; tries < 4; tries += 1) {
    const run = await getJson<Run>(`${service.url}/api/v1/runs/${runId}?wait=30`, headers);
    if (run.finishedAt) return run;
  }
  throw new Error(`The run ${runId} did not end within two minutes`);
}

export async function timelineOf(service: { url: string }, runId: string): Promise<TimelineEntry[]> {
  return (await getJson<{ data: TimelineEntry[] }>(`${service.url}/api/v1/runs/${runId}/timeline`)).data;
}

import { afterAll, beforeAll, describe } from "vitest";
import type { Delivery } from "../server/contract/delivery.ts";
import type { Run } from "../server/contract/run.ts";
import type { TimelineEntry } from "../server/contract/timeline.ts";
import {
  contractProject,
  contractSecret,
  describeVerdicts,
  type ObservedRun,
  serviceContract,
  withoutIds,
} from "../testing/testing/service-contract.ts";
import { getJson, timelineOf, waitForRun } from "./support/api.ts";
import { writeProject } from "./support/project.ts";
import { type Service, sharedService } from "./support/service.ts";

// testing/service-contract.test.ts has the same tests of `signalbox/testing`.
describe("a real service", () => {
  const cleanups: (() => unknown)[] = [];
  let service: Service;
  beforeAll(async () => {
    const start = sharedService((onCleanup) => ({
      projectDir: writeProject(contractProject, onCleanup),
      command: "dev",
      env: { CONTRACT_SECRET: contractSecret },
    }));
    service = await start({}, { onCleanup: (cleanup) => void cleanups.push(cleanup) });
  });
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  serviceContract(async () => async ({ endpoint, headers = {}, body, method = "POST", query = {} }) => {
    const search = method === "GET" ? body : new URLSearchParams(query).toString();
    const response = await fetch(`${service.url}/triggers/${endpoint}?${search}`, {
      method,
      headers,
      ...(method === "POST" && { body }),
    });
    const text = await response.text();
    const id = response.headers.get("signalbox-delivery");
    const delivery = await getJson<Delivery>(`${service.url}/api/v1/deliveries/${id}`);
    const started = delivery.outcome === "accepted" ? delivery.verdicts.flatMap(({ runId }) => runId ?? []) : [];
    const runs: ObservedRun[] = [];
    for (const runId of started) runs.push(observe(await waitForRun(service, runId), await timelineOf(service, runId)));
    return {
      status: response.status,
      response: withoutIds(parse(text)),
      outcome: delivery.outcome,
      verdicts: describeVerdicts(delivery.verdicts),
      runs,
    };
  });
});

function observe(run: Run, timeline: readonly TimelineEntry[]): ObservedRun {
  const { trigger, status, attempt, input, output, error } = run;
  const began = new Map<string, number>();
  for (const { kind, name } of timeline) {
    if (kind === "step_started") began.set(`step ${name}`, (began.get(`step ${name}`) ?? 0) + 1);
    if (kind === "sleep_started") began.set(`sleep ${name}`, 0);
    if (kind === "child_started") began.set(`child ${name}`, 0);
  }
  return {
    trigger,
    status,
    attempt,
    input,
    output,
    error: error && `${error.name}: ${error.message}`,
    steps: [...began].map(([name, tries]) => `${name}${tries > 1 ? ` (${tries} tries)` : ""}`),
    logs: timeline.flatMap(({ kind, message }) => (kind === "log" ? (message ?? "") : [])),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

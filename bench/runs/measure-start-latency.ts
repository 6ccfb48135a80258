import { z } from "zod";
import type { BenchProject, BenchWorkflow } from "./bench-project.ts";
import type { BenchService } from "./bench-service.ts";
import { quantile } from "./statistics.ts";

export interface StartLatency {
  /** Milliseconds from sending the webhook to its 202. */
  acceptP50Ms: number;
  /** Milliseconds from the 202's arrival to the first line of the workflow's `run`; negative: it had begun before. */
  startP50Ms: number;
  startP99Ms: number;
}

const accepted = z.object({ runId: z.string() });
const ended = z.object({ output: z.object({ startedAt: z.number() }) });

/** Sends webhooks one after the other. Each is sent after the previous run has ended, and after a pause. */
export async function measureStartLatency(p: {
  service: BenchService;
  project: BenchProject;
  count: number;
}): Promise<StartLatency> {
  const accepts: number[] = [];
  const starts: number[] = [];
  const warmUps = 20;
  for (let n = -warmUps; n < p.count; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, 15 + (n % 10)));
    const sentAt = now();
    const runId = await sendWebhook(p, "trivial");
    const answeredAt = now();
    const startedAt = await readStart(p, runId);
    if (n < 0) continue;
    accepts.push(answeredAt - sentAt);
    starts.push(startedAt - answeredAt);
  }
  return { acceptP50Ms: quantile(accepts, 0.5), startP50Ms: quantile(starts, 0.5), startP99Ms: quantile(starts, 0.99) };
}

/** The same clock in all processes, finer than Date.now(). */
const now = () => performance.timeOrigin + performance.now();

async function sendWebhook(
  { service, project }: { service: BenchService; project: BenchProject },
  slug: BenchWorkflow,
): Promise<string> {
  const response = await fetch(`${service.url}/triggers/bench/${slug}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": project.key },
    body: JSON.stringify({ email: "someone@example.com", text: "x".repeat(200) }),
  });
  if (response.status !== 202) throw new Error(`a webhook was answered ${response.status}: ${await response.text()}`);
  return accepted.parse(await response.json()).runId;
}

async function readStart(
  { service, project }: { service: BenchService; project: BenchProject },
  runId: string,
): Promise<number> {
  const response = await fetch(`${service.url}/api/v1/runs/${runId}?wait=30`, {
    headers: { "x-api-key": project.key },
  });
  return ended.parse(await response.json()).output.startedAt;
}

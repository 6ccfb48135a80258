import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { postJson, waitForRun } from "./support/api.ts";
import { repository, writeProject } from "./support/project.ts";
import { signalbox, startService } from "./support/service.ts";

const project = {
  "triggers/new-signup.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import welcome from "../workflows/welcome";
    export default defineWebhookSource({ slug: "new-signup", endpoint: "signup", request: z.object({ name: z.string() }) }).attach({ workflow: welcome });`,
  "workflows/welcome.ts": `
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "welcome",
      input: z.object({ name: z.string() }),
      retries: { attempts: 2, initialDelay: 1 },
      async run({ name }, ctx) {
        if (ctx.run.attempt === 1) throw new Error("not yet");
        return name;
      },
    });`,
};

interface Metric {
  type: string;
  /** But for `le`, which every histogram has. */
  labels: string[];
}

it("docs/metrics.md lists exactly the metrics of /metrics after a delivery and its run, with types and labels", async () => {
  const projectDir = writeProject(project);
  const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir }).stdout.trim();
  cli("build");
  const service = await startService({ projectDir, command: "start" });
  const url = cli("triggers", "url", "new-signup");
  const { secret } = JSON.parse(
    cli("keys", "create", "--api", "--scope", "admin", "--name", "prometheus", "--json"),
  ) as { secret: string };
  const authorization = { authorization: `Bearer ${secret}` };
  const metrics = async () => (await fetch(`${service.url}/metrics`, { headers: authorization })).text();

  const { runId } = (await (await postJson(url, { name: "Ada" })).json()) as { runId: string };
  expect((await postJson(url, {}, { "content-type": "text/plain" })).status).toBe(415);
  expect((await postJson(url.replace("signup", "no-such-endpoint"), {})).status).toBe(404);
  expect((await postJson(url.replace(/token=.*/, "token=wrong"), {})).status).toBe(401);
  expect(await waitForRun(service, runId, authorization)).toMatchObject({ status: "completed" });
  // A worker reports a run's end shortly after it is on disk.
  const text = await vi.waitFor(async () => {
    const given = await metrics();
    expect(given).toContain('signalbox_runs_finished_total{kind="workflow",target="welcome",status="completed"} 1');
    return given;
  });

  const lines = text.split("\n");
  for (const line of [
    'signalbox_deliveries_total{endpoint="signup",outcome="accepted",status="202"} 1',
    'signalbox_deliveries_total{endpoint="_other",outcome="rejected",status="404"} 1',
    'signalbox_verdicts_total{endpoint="signup",outcome="matched"} 1',
    'signalbox_rejections_total{code="unsupported_media_type"} 1',
    'signalbox_rejections_total{code="unknown_endpoint"} 1',
    'signalbox_rejections_total{code="unauthorized"} 1',
    'signalbox_unauthenticated_total{interface="webhook"} 1',
    'signalbox_delivered_runs_total{trigger="new-signup"} 1',
    'signalbox_runs_started_total{kind="workflow",target="welcome"} 1',
    'signalbox_run_retries_total{kind="workflow",target="welcome"} 1',
    'signalbox_run_duration_seconds_count{kind="workflow",target="welcome"} 2',
    'signalbox_run_start_latency_seconds_bucket{kind="workflow",target="welcome",le="+Inf"} 1',
    'signalbox_workers{pool="shared"} 1',
    'signalbox_worker_exits_total{reason="crashed"} 0',
    "signalbox_web_restarts_total 0",
    "signalbox_receiver_restarts_total 0",
  ]) {
    expect(lines).toContain(line);
  }
  expect(text).toMatch(/^signalbox_store_commit_duration_seconds_count [1-9]/m);
  expect(text).toMatch(/^signalbox_receiver_resident_memory_bytes [1-9]/m);
  expect(text).toMatch(/^signalbox_store_file_bytes\{file="database"\} [1-9]/m);

  const documented = readDocs(readFileSync(join(repository, "docs/metrics.md"), "utf8"));
  const given = readMetrics(text, documented);
  expect(Object.keys(given).filter((name) => name.startsWith("signalbox_")).length).toBeGreaterThan(20);
  expect(documented).toEqual(given);
});

/** Rows like "| `name` | counter | `a`, `b` | … |". */
function readDocs(page: string): Record<string, Metric> {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \|([^|]*)\|/gm)];
  return Object.fromEntries(
    rows.map(([, name = "", type = "", labels = ""]) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label).sort() },
    ]),
  );
}

/** What is seen with a full disk, in a flood or on Postgres only. */
const mayBeEmpty = /^(nodejs_|signalbox_unrecorded_total|signalbox_closed_connections_total|signalbox_queue_)/;

/** Some have nothing to show at times (no garbage was collected yet): then the labels are as documented. */
function readMetrics(text: string, documented: Record<string, Metric>): Record<string, Metric> {
  const metrics: Record<string, Metric> = {};
  for (const [, name = "", type = ""] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    const samples = [...text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?(?:\\{([^}]*)\\})? `, "gm"))];
    const labels = new Set(
      samples.flatMap(([, list = ""]) => [...list.matchAll(/(\w+)="/g)].map(([, label = ""]) => label)),
    );
    labels.delete("le");
    const isShown = samples.length > 0 || !mayBeEmpty.test(name);
    metrics[name] = { type, labels: isShown ? [...labels].sort() : (documented[name]?.labels ?? []) };
  }
  return metrics;
}

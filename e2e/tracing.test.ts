import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { postJson, waitForRun } from "./support/api.ts";
import { type CollectedSpan, startCollector } from "./support/collector.ts";
import { repository, writeProject } from "./support/project.ts";
import { signalbox, startService } from "./support/service.ts";

const project = {
  "triggers/paid.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import ship from "../workflows/ship";
    export default defineWebhookSource({ slug: "paid", endpoint: "billing", request: z.object({ id: z.string() }) }).attach({ workflow: ship });`,
  "workflows/ship.ts": `
    import { trace } from "@opentelemetry/api";
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "ship",
      input: z.object({ id: z.string() }),
      retries: { attempts: 2, initialDelay: 1 },
      async run({ id }, ctx) {
        await ctx.step("pick", async () => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          return trace.getTracer("mine").startActiveSpan("shelf", (span) => (span.end(), id));
        });
        await ctx.step("send", async () => {
          if (ctx.run.attempt === 1) throw new TypeError("no stamp");
        });
      },
    });`,
};

const sender = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

async function deployed(env: NodeJS.ProcessEnv) {
  const projectDir = writeProject(project);
  symlinkSync(join(repository, "node_modules/@opentelemetry"), join(projectDir, "node_modules/@opentelemetry"));
  const cli = (...args: string[]) => signalbox([...args, "--project", projectDir], { cwd: projectDir });
  const built = cli("build");
  expect(built.status, built.stderr).toBe(0);
  const service = await startService({ projectDir, command: "start", env });
  const url = cli("triggers", "url", "paid").stdout.trim();
  const key = new URL(url).searchParams.get("token") ?? "";
  const deliver = async (headers: Record<string, string> = {}) => {
    const { runId } = (await (await postJson(url, { id: "o-1" }, headers)).json()) as { runId: string };
    return await waitForRun(service, runId, { authorization: `Bearer ${key}` });
  };
  return { service, deliver };
}

it("a delivery, its run and each step are one trace below the sender's span, across processes and attempts, exported when the service stops; log lines have the same ids", async () => {
  const collector = await startCollector();
  const { service, deliver } = await deployed({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b",
    OTEL_SERVICE_NAME: "shop",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    SIGNALBOX_LOG_LEVEL: "debug",
  });
  const run = await deliver({ traceparent: `00-${sender.traceId}-${sender.spanId}-01` });
  expect(run).toMatchObject({ status: "completed", attempt: 2 });
  const own = await deliver();
  await deliver({ traceparent: `00-${sender.traceId}-${sender.spanId}-00` });
  expect(await service.stop()).toBe(0);

  const spans = collector.spans.filter(({ traceId }) => traceId === sender.traceId);
  expect(treeBelow(sender.spanId, spans)).toEqual([
    "POST /triggers/billing",
    "  run ship: waiting",
    "    step pick",
    "      shelf",
    "    step send",
    "  run ship: completed",
    "    step send",
  ]);
  const attributes = { "signalbox.run.id": run.id, "signalbox.workflow": "ship", "signalbox.version": run.version };
  const [first, second] = spans
    .filter(({ name }) => name === "step send")
    .toSorted((a, b) => Number(a.attributes["signalbox.attempt"]) - Number(b.attributes["signalbox.attempt"]));
  expect(first).toMatchObject({
    attributes: { ...attributes, "signalbox.attempt": 1, "signalbox.step": "send" },
    status: { code: 2, message: "no stamp" },
    resource: { "service.name": "shop", "deployment.environment.name": "test", "signalbox.process": "worker" },
  });
  expect(first?.events).toMatchObject([
    { name: "exception", attributes: { "exception.type": "TypeError", "exception.message": "no stamp" } },
  ]);
  expect(second).toMatchObject({ attributes: { ...attributes, "signalbox.attempt": 2 } });
  expect(second?.status.code ?? 0).toBe(0);
  expect(spans.find(({ name }) => name === "POST /triggers/billing")).toMatchObject({
    kind: 2,
    attributes: { "http.response.status_code": 202, "signalbox.delivery.id": run.deliveryId },
    resource: { "signalbox.process": "receiver" },
  });
  expect(collector.headers[0]).toMatchObject({ "x-tenant": "a b" });

  const lines = service
    .output()
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Record<string, unknown>] : []));
  const ids = { runId: run.id, deliveryId: run.deliveryId, workflow: "ship" };
  const linesOf = (process: string) => lines.filter((line) => line["runId"] === run.id && line["process"] === process);
  expect(linesOf("worker")).toMatchObject([
    { msg: "step completed", level: "debug", ...ids, attempt: 1, step: "pick" },
    { msg: "step failed", level: "debug", ...ids, attempt: 1, step: "send", error: "TypeError" },
    { msg: "step completed", level: "debug", ...ids, attempt: 2, step: "send" },
  ]);
  expect(linesOf("supervisor")).toMatchObject([
    { msg: "run is waiting", level: "info", ...ids, attempt: 1, status: "waiting" },
    { msg: "run ended", level: "info", ...ids, attempt: 2, status: "completed" },
  ]);
  expect(lines.find(({ msg, deliveryId }) => msg === "delivery" && deliveryId === run.deliveryId)).toMatchObject({
    process: "receiver",
    endpoint: "billing",
    runIds: [run.id],
  });

  // A sender that does not trace begins no tree of its own; one that does not sample gets none.
  const others = collector.spans.filter(({ traceId }) => traceId !== sender.traceId);
  expect(new Set(others.map(({ traceId }) => traceId)).size).toBe(1);
  expect(treeBelow("", others)).toEqual(treeBelow(sender.spanId, spans));
  expect(others.find(({ name }) => name === "run ship")?.attributes).toMatchObject({
    "signalbox.run.id": own.id,
    "signalbox.delivery.id": own.deliveryId,
  });
});

/** Names, indented; siblings in the order in which they ended. */
function treeBelow(parentSpanId: string, spans: CollectedSpan[], indent = ""): string[] {
  return spans
    .filter((span) => span.parentSpanId === parentSpanId)
    .flatMap((span) => {
      const status = span.attributes["signalbox.run.status"];
      return [
        `${indent}${span.name}${status === undefined ? "" : `: ${String(status)}`}`,
        ...treeBelow(span.spanId, spans, `${indent}  `),
      ];
    });
}

import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { RunSummary } from "../../../contract/run.ts";
import { csvLine } from "../../../domain/csv-line.ts";
import type { RunFilter } from "../../../ports/store/run-store.ts";
import { exportRunSummaries, exportRuns } from "../../../runs/filtered-runs.ts";
import { defineRoute, problems } from "../define-route.ts";
import { downloadResponse, freeAfter, takeStreamSlot } from "../streaming-responses.ts";
import { runFilterSchema } from "../../../contract/filters.ts";
import { toStoreFilter } from "../../../domain/store-filter.ts";
import { queryOf, querySchema } from "../request-schemas.ts";
import type { RestDeps, RestEnv } from "../rest-deps.ts";

const formatSchema = z.enum(["csv", "jsonl"]);

const exportRoute = defineRoute({
  method: "get",
  path: "/api/v1/runs/export",
  operationId: "exportRuns",
  summary: "Export runs as a file",
  description:
    "Exports all runs that match the filter, newest first. `csv` (RFC 4180, with a header line) has the fields of the list. A cell that a spreadsheet would read as a formula begins with an apostrophe. `jsonl` has one run per line, with payload, input and output.",
  tags: ["Runs"],
  request: { query: querySchema({ format: formatSchema.describe("`csv` or `jsonl`."), ...queryOf(runFilterSchema) }) },
  responses: {
    200: {
      description: "The file, streamed.",
      content: { "text/csv": { schema: z.string() }, "application/jsonl": { schema: z.string() } },
    },
    ...problems(["rate_limited"]),
  },
});

export function registerRunExportRoute(app: OpenAPIHono<RestEnv>): void {
  app.openapi(exportRoute, async (c) => {
    const { format, ...query } = c.req.valid("query");
    const { clock, stopping, logger } = c.env;
    const free = takeStreamSlot(c, "export");
    const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(":", "-");
    const { pieces, contentType } = files[format](c.env, toStoreFilter(query));
    return downloadResponse({
      pieces: freeAfter(pieces, free),
      contentType,
      fileName: `signalbox-runs-${time}Z.${format}`,
      stopping,
      onError: (error) => logger.warn("run export interrupted", { error }),
    });
  });
}

const files: Record<
  z.infer<typeof formatSchema>,
  (deps: RestDeps, filter: RunFilter) => { pieces: AsyncGenerator<string>; contentType: string }
> = {
  csv: (deps, filter) => ({ pieces: toCsv(deps, filter), contentType: "text/csv; charset=utf-8; header=present" }),
  jsonl: (deps, filter) => ({ pieces: toJsonLines(deps, filter), contentType: "application/jsonl" }),
};

const columns: Record<string, (run: RunSummary) => string | number | null> = {
  id: ({ id }) => id,
  status: ({ status }) => status,
  trigger: ({ trigger }) => trigger,
  targetKind: ({ target }) => target.kind,
  target: ({ target }) => target.slug,
  deliveryId: ({ deliveryId }) => deliveryId,
  startedBy: ({ startedBy }) => startedBy,
  replayOf: ({ replayOf }) => replayOf,
  failureOf: ({ failureOf }) => failureOf,
  version: ({ version }) => version,
  attempt: ({ attempt }) => attempt,
  maxAttempts: ({ maxAttempts }) => maxAttempts,
  error: ({ error }) => error?.name ?? null,
  errorMessage: ({ error }) => error?.message ?? null,
  createdAt: ({ createdAt }) => createdAt,
  startedAt: ({ startedAt }) => startedAt,
  finishedAt: ({ finishedAt }) => finishedAt,
  tokens: ({ tokens }) => tokens,
  costUsd: ({ costUsd }) => costUsd,
  resumedAt: ({ resumedAt }) => resumedAt,
  replayedAs: ({ replayedAs }) => replayedAs,
  key: ({ key }) => key,
  childOf: ({ childOf }) => childOf,
};

async function* toCsv(deps: RestDeps, filter: RunFilter): AsyncGenerator<string> {
  let header = csvLine(Object.keys(columns));
  for await (const runs of exportRunSummaries(deps, filter)) {
    yield header + runs.map((run) => csvLine(Object.values(columns).map((cellOf) => cellOf(run)))).join("");
    header = "";
  }
}

async function* toJsonLines(deps: RestDeps, filter: RunFilter): AsyncGenerator<string> {
  for await (const runs of exportRuns(deps, filter)) yield runs.map((run) => `${JSON.stringify(run)}\n`).join("");
}

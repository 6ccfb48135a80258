// Times `signalbox triggers test --since` with GitHub's payloads: node bench/backtest.ts [--deliveries 100000] [--dir <folder>]
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { noneDisabled } from "../server/contract/disabled.ts";
import { newId } from "../server/domain/ids.ts";
import { decideDelivery } from "../server/matching/match-triggers.ts";
import { packageRoot } from "../server/paths.ts";
import type { NewDelivery } from "../server/ports/store/delivery-store.ts";
import { loadSources } from "../server/project/project-reader.ts";
import { readManifest } from "../server/project/read-manifest.ts";
import { openSqliteStore } from "../server/store/sqlite/open-store.ts";
import { githubBodies } from "./load/bodies.ts";
import { linkCheckout } from "./service/signalbox-service.ts";

const { values } = parseArgs({
  options: { deliveries: { type: "string", default: "100000" }, dir: { type: "string" } },
});
const count = Number(values.deliveries);
const dir = values.dir ?? mkdtempSync(join(tmpdir(), "signalbox-backtest-"));
/** The command line as users get it, if `npm run build` has made it; otherwise from its sources. */
const built = join(packageRoot, "dist/cli.js");
const cli = existsSync(built) ? built : join(packageRoot, "cli/main.ts");
const signalbox = (...args: string[]) =>
  execFileSync(process.execPath, [cli, ...args, "--project", dir], { cwd: dir, encoding: "utf8", maxBuffer: 2 ** 28 });

/** Twelve triggers on one endpoint: some match all, some few, some no payloads. */
const conditions: Record<string, { request: string; filter?: string }> = {
  all: { request: "z.looseObject({})" },
  opened: { request: `z.object({ action: z.literal("opened"), sender: z.object({ login: z.string() }) })` },
  comment: { request: "z.object({ issue: z.object({ number: z.int() }), comment: z.object({ body: z.string() }) })" },
  pull: {
    request: "z.object({ number: z.int().min(1), pull_request: z.looseObject({ draft: z.boolean().optional() }) })",
  },
  push: {
    request: "z.object({ ref: z.string(), commits: z.array(z.object({ id: z.string(), message: z.string() })) })",
  },
  ...Object.fromEntries(
    ["created", "edited", "deleted", "closed", "labeled", "assigned", "requested"].map((action) => [
      action,
      {
        request: "z.object({ action: z.string(), sender: z.object({ login: z.string() }) })",
        filter: `z.object({ action: z.literal("${action}") })`,
      },
    ]),
  ),
};

function writeProject(): void {
  const files: Record<string, string> = {
    "package.json": `{ "name": "backtest", "private": true, "type": "module" }\n`,
    "workflows/keep.ts": `import { defineWorkflow } from "signalbox/workflow";\nimport { z } from "zod";\nexport default defineWorkflow({ slug: "keep", input: z.json(), run: () => undefined });\n`,
  };
  for (const [slug, { request, filter }] of Object.entries(conditions))
    files[`triggers/${slug}.ts`] =
      `import { defineWebhookSource } from "signalbox/trigger";\nimport { z } from "zod";\nimport keep from "../workflows/keep";\nexport default defineWebhookSource({ slug: "${slug}", endpoint: "github", request: ${request}${filter ? `, filter: ${filter}` : ""} }).attach({ workflow: keep });\n`;
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  linkCheckout(dir, packageRoot);
}

/** Records the payloads in turn, over the last six days, with the verdicts of the build. */
async function writeDeliveries(): Promise<void> {
  const stateDir = join(dir, ".signalbox");
  const manifest = await readManifest(stateDir);
  if (!manifest) throw new Error("The project was not built");
  const { byEndpoint, indexes } = await loadSources(stateDir, manifest);
  const triggers = byEndpoint.get("github") ?? [];
  const headers = { "content-type": "application/json", "x-github-event": "any" };
  const decided = githubBodies().bodies.map((body) => {
    const { outcome, responseStatus, verdicts, unlistedVerdicts } = decideDelivery({
      manifest,
      triggers,
      index: indexes.get("github") ?? null,
      isShared: true,
      body: JSON.parse(body.toString()),
      headers,
      deliveryId: "dlv_1",
      now: 0,
      startedBy: "webhook",
      keyId: null,
      disabled: noneDisabled,
    });
    return {
      body,
      bodySha256: createHash("sha256").update(body).digest("hex"),
      outcome,
      responseStatus,
      verdicts,
      unlistedVerdicts,
    };
  });
  const store = await openSqliteStore({ file: join(stateDir, "signalbox.db") });
  const now = Date.now();
  const stepMs = (6 * 86_400_000) / count;
  for (let at = 0; at < count; at += 500) {
    const batch = Array.from({ length: Math.min(500, count - at) }, (_, index): Promise<void> => {
      const one = decided[(at + index) % decided.length];
      if (!one) throw new Error("There are no payloads");
      const receivedAt = Math.floor(now - stepMs * (count - at - index));
      const delivery: NewDelivery = {
        ...one,
        id: newId("dlv", receivedAt),
        endpoint: "github",
        receivedAt,
        method: "POST",
        headers,
        bodyBytes: one.body.length,
        problem: null,
        durationMs: 1,
        keyId: null,
        redeliveryOf: null,
      };
      return store.recordDelivery(delivery);
    });
    await Promise.all(batch);
    process.stderr.write(`\r${at + batch.length} deliveries recorded `);
  }
  await store.close();
  process.stderr.write(`\n${(statSync(join(stateDir, "signalbox.db")).size / 2 ** 20).toFixed(0)} MiB\n`);
}

interface Result {
  compared: number;
  gained: number;
  lost: number;
  failed: number;
}

/** The time of one thread for the least that a comparison does: to read each body as JSON. */
function timeParsing(): number {
  const { bodies } = githubBodies();
  const startedAt = performance.now();
  for (let at = 0; at < count; at += 1) JSON.parse(bodies[at % bodies.length]?.toString() ?? "");
  return (performance.now() - startedAt) / 1000;
}

function time(name: string, ...args: string[]): void {
  const parsing = timeParsing();
  const startedAt = performance.now();
  const { compared, gained, lost, failed } = JSON.parse(
    signalbox("triggers", "test", "--since", "7d", "--json", ...args),
  ) as Result;
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(
    `${name}: ${compared} deliveries in ${seconds.toFixed(1)} s, ${Math.round(compared / seconds)} a second, ${(seconds / parsing).toFixed(1)} × JSON.parse of their bodies in one thread; +${gained} −${lost}, ${failed} would fail`,
  );
}

console.log(`${cli === built ? "dist/" : "sources"}, ${Object.keys(conditions).length} triggers`);
if (!existsSync(join(dir, ".signalbox/signalbox.db"))) {
  writeProject();
  signalbox("build");
  await writeDeliveries();
  time("first run, while the store still counts the deliveries");
}
time("unchanged build");
time("unchanged build, with transforms and inputs", "--input");
writeFileSync(
  join(dir, "triggers/changed.ts"),
  `import { defineWebhookSource } from "signalbox/trigger";\nimport { z } from "zod";\nimport keep from "../workflows/keep";\nexport default defineWebhookSource({ slug: "changed", endpoint: "github", request: z.looseObject({}) }).attach({ workflow: keep });\n`,
);
time("a new trigger that matches everything");
rmSync(join(dir, "triggers/changed.ts"));
if (values.dir === undefined) rmSync(dir, { recursive: true, force: true });

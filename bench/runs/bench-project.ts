import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../server/domain/ids.ts";
import { packageRoot } from "../../server/paths.ts";
import type { NewRun } from "../../server/ports/store/new-run.ts";
import type { Store } from "../../server/ports/store.ts";
import { openSqliteStore } from "../../server/store/sqlite/open-store.ts";

/** A built project in a folder of its own, with a webhook key. */
export interface BenchProject {
  dir: string;
  key: string;
  /** Opens its store. The caller closes it. */
  openStore(): Promise<Store>;
  remove(): void;
}

export type BenchWorkflow = keyof typeof workflows;

const cli = join(packageRoot, "cli/main.ts");

/** The code of each in `run(input, ctx)`. The trivial one returns the time at which its first line ran. */
const workflows = {
  trivial: "return { startedAt: performance.timeOrigin + performance.now() };",
  "two-steps": `const one = await ctx.step("one", () => 1); const two = await ctx.step("two", () => one + 1); return { two };`,
  sleeper: `await ctx.sleep("long", "7d"); return {};`,
  retrier: `throw new Error("not yet");`,
  narrow: "return {};",
  /** Calls as many runs as its address begins with: `1000@example.com`. */
  family: `const lines = await Promise.all(Array.from({ length: Number.parseInt(input.email) }, (_, at) => ctx.call("line " + at, trivial, { email: "someone@example.com", text: input.text }))); return { lines: lines.length };`,
};

export async function createBenchProject(): Promise<BenchProject> {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-bench-runs-"));
  for (const name of ["triggers", "workflows", "node_modules"]) mkdirSync(join(dir, name));
  writeFileSync(join(dir, "package.json"), `{"name":"bench-runs","private":true,"type":"module"}\n`);
  symlinkSync(join(packageRoot, "node_modules", "zod"), join(dir, "node_modules", "zod"));
  for (const [slug, code] of Object.entries(workflows))
    writeFileSync(join(dir, "workflows", `${slug}.ts`), workflowFile(slug, code));
  for (const slug of ["trivial", "two-steps"]) writeFileSync(join(dir, "triggers", `${slug}.ts`), triggerFile(slug));
  signalbox(dir, "build");
  const { secret } = JSON.parse(signalbox(dir, "keys", "create", "--name", "bench", "--json")) as { secret: string };
  return {
    dir,
    key: secret,
    openStore: () => openSqliteStore({ file: join(dir, ".signalbox/signalbox.db") }),
    remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/**
 * Records queued runs, as if a webhook had started each. `version`: of the build that accepts them. On Postgres,
 * workers of another one start them ten seconds later.
 */
export async function queueRuns(
  store: Store,
  p: { slug: string; count: number; inOneTransaction?: boolean; version?: string; email?: string },
): Promise<void> {
  const runs = Array.from({ length: p.count }, () => aQueuedRun(p.slug, { ...p, createdAt: Date.now() }));
  const perTransaction = p.inOneTransaction ? p.count : 500;
  for (let from = 0; from < runs.length; from += perTransaction)
    await store.createRuns(runs.slice(from, from + perTransaction));
}

function aQueuedRun(slug: string, p: { createdAt: number; version?: string; email?: string }): NewRun {
  return {
    id: newId("run"),
    trigger: slug,
    attachmentId: null,
    target: { kind: "workflow", slug },
    deliveryId: null,
    startedBy: "api",
    replayOf: null,
    version: p.version ?? "bench",
    maxAttempts: 100,
    createdAt: p.createdAt,
    payload: null,
    input: { email: p.email ?? "someone@example.com", text: "x".repeat(200) },
    keyId: null,
  };
}

function workflowFile(slug: string, code: string): string {
  const options =
    slug === "retrier"
      ? `retries: { attempts: 100, backoff: "fixed", initialDelay: "1h", maxDelay: "1h" },`
      : slug === "narrow"
        ? "concurrency: 5,"
        : "";
  return `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
${slug === "family" ? `import trivial from "./trivial";` : ""}
export default defineWorkflow({ slug: "${slug}", input: z.object({ email: z.email(), text: z.string() }), ${options} async run(input, ctx) { ${code} } });
`;
}

function triggerFile(slug: string): string {
  return `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import workflow from "../workflows/${slug}";
export default defineWebhookSource({ slug: "${slug}", endpoint: "bench/${slug}", request: z.object({ email: z.email(), text: z.string() }) }).attach({ workflow });
`;
}

function signalbox(dir: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args, "--project", dir], {
    cwd: dir,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`signalbox ${args.join(" ")} ended with ${status}:\n${stderr}`);
  return stdout;
}

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Endpoints of the measured project. All accept the bodies of `bodies.ts`. Their runs differ. */
export const endpoints = {
  /** Its workflow runs one at a time, and the first run never ends. All others stay queued, as with busy workers. */
  queued: "queued",
  queuedPush: "queued-push",
  queuedGithub: "queued-github",
  /** Its workflow returns at once. */
  executed: "executed",
  /** The same, and its runs keep the whole body. */
  executedWhole: "executed-whole",
  /** Its workflow returns the moment it began, in milliseconds since the epoch. */
  timed: "timed",
} as const;

const person = `z.object({ name: z.string().min(1), email: z.email() })`;
const push = `z.object({
  ref: z.string(),
  repository: z.object({ full_name: z.string() }),
  commits: z.array(z.object({ id: z.string(), message: z.string() })),
})`;
const github = `z.object({ action: z.string().optional(), repository: z.object({ full_name: z.string() }).optional(), sender: z.object({ login: z.string() }).optional() })`;

/** Writes the project, without packages. */
export function writeBenchProject(folder: string, { workers }: { workers: number }): void {
  const files: Record<string, string> = {
    "package.json": `{ "name": "bench", "private": true, "type": "module" }\n`,
    "signalbox.config.ts": `import { defineConfig } from "signalbox/config";\nexport default defineConfig({ workers: ${workers} });\n`,
    "workflows/stuck.ts": workflow(
      "stuck",
      `timeout: "1d", concurrency: 1,`,
      `await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));`,
    ),
    // Its name and input are those of the runs that `runs/bench-project.ts` queues.
    "workflows/trivial.ts": workflow("trivial", "", "return { ok: true };"),
    "workflows/waiting.ts": workflow("waiting", "", "await new Promise((resolve) => setTimeout(resolve, 50));"),
    "workflows/tell-time.ts": workflow(
      "tell-time",
      "",
      "return { beganAt: performance.timeOrigin + performance.now() };",
    ),
    ...trigger(endpoints.queued, "stuck", person),
    ...trigger(endpoints.queuedPush, "stuck", push),
    ...trigger(endpoints.queuedGithub, "stuck", github),
    ...trigger(endpoints.executed, "trivial", person),
    ...trigger(endpoints.executedWhole, "trivial", "z.looseObject({ ref: z.string() })"),
    ...trigger(endpoints.timed, "tell-time", person),
  };
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function workflow(slug: string, options: string, body: string): string {
  return `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "${slug}",
  input: z.object({}),
  ${options}
  async run(_input, ctx) {
    void ctx;
    ${body}
  },
});
`;
}

function trigger(endpoint: string, target: string, request: string): Record<string, string> {
  return {
    [`triggers/${endpoint}.ts`]: `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import workflow from "../workflows/${target}";

export default defineWebhookSource({ slug: "${endpoint}", endpoint: "${endpoint}", request: ${request} }).attach({ workflow });
`,
  };
}

import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../server/paths.ts";
import type { PlannedProject, PlannedTrigger } from "./plan-project.ts";

/** Writes the project as its author would: a file for each trigger and each workflow. It passes `signalbox build`. */
export function writeProject(folder: string, { endpoints, workflows }: PlannedProject): void {
  for (const name of ["triggers", "workflows", "node_modules"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name: "bench-project", private: true, type: "module" }, null, 2)}\n`,
  );
  const zod = join(folder, "node_modules", "zod");
  if (!existsSync(zod)) symlinkSync(join(packageRoot, "node_modules", "zod"), zod);
  for (const slug of workflows) writeFileSync(join(folder, "workflows", `${slug}.ts`), workflowFile(slug));
  for (const trigger of endpoints.flat())
    writeFileSync(join(folder, "triggers", `${trigger.slug}.ts`), triggerFile(trigger));
}

function workflowFile(slug: string): string {
  return `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";

export default defineWorkflow({
  slug: "${slug}",
  input: z.object({ id: z.string(), amount: z.int() }),
  output: z.object({ handled: z.string() }),
  async run({ id }, ctx) {
    return { handled: await ctx.step("handle", () => id) };
  },
});
`;
}

function triggerFile({ slug, endpoint, workflow, type }: PlannedTrigger): string {
  return `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import workflow from "../workflows/${workflow}";

export default defineWebhookSource({
  slug: "${slug}",
  endpoint: "${endpoint}",
  request: z.object({ type: z.literal("${type}"), id: z.string(), amount: z.int(), customer: z.object({ name: z.string(), email: z.email() }) }),
  filter: z.object({ amount: z.int().min(100) }),
}).attach({ workflow, transform: ({ id, amount }) => ({ id, amount }) });
`;
}

import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { packageRoot } from "../../../server/paths.ts";

/** An empty project in a folder of its own, removed when the test is over. `name` is the name of its folder. */
export function makeProject(files: Record<string, string> = {}, name = "hooks"): string {
  return makeProjectUntil(onTestFinished, files, name);
}

/** The same, removed by a hook of the caller's choice, e.g. `afterAll`. */
export function makeProjectUntil(
  hook: (remove: () => void) => void,
  files: Record<string, string> = {},
  name = "hooks",
): string {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-")));
  hook(() => rmSync(parent, { recursive: true, force: true }));
  const projectDir = join(parent, name);
  mkdirSync(projectDir);
  symlinkSync(join(packageRoot, "node_modules"), join(projectDir, "node_modules"), "dir");
  writeFiles(projectDir, files);
  return projectDir;
}

/**
 * A project of a workspace, with its own node_modules: Zod, the packages that `files` has in node_modules/, and links
 * to packages of the workspace, e.g. `{ "@acme/shared": "packages/shared" }` for files in ../packages/shared/.
 */
export function makeWorkspace(files: Record<string, string>, links: Record<string, string> = {}): string {
  const projectDir = makeProject();
  const installed = join(projectDir, "node_modules");
  unlinkSync(installed);
  writeFiles(projectDir, files);
  for (const [name, target] of [
    ["zod", join(packageRoot, "node_modules/zod")] as const,
    ...Object.entries(links).map(([name, folder]) => [name, join(projectDir, "..", folder)] as const),
  ]) {
    mkdirSync(dirname(join(installed, name)), { recursive: true });
    symlinkSync(target, join(installed, name), "dir");
  }
  return projectDir;
}

/** A copy of a golden project, outside of the repository, so that nothing of its surroundings gets into the build. */
export function copyGolden(name: string): string {
  const projectDir = makeProject({}, name);
  cpSync(join(packageRoot, "cli/build/golden", name), projectDir, { recursive: true });
  return projectDir;
}

export function writeFiles(projectDir: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(projectDir, path)), { recursive: true });
    writeFileSync(join(projectDir, path), text);
  }
}

/** A project of one trigger and one workflow. */
export const smallProject = {
  "triggers/paid.ts": `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import receipt from "../workflows/receipt";

export default defineWebhookSource({
  slug: "paid",
  endpoint: "billing",
  request: z.object({ id: z.string(), cents: z.int() }),
  filter: z.object({ cents: z.int().min(1) }),
}).attach({
  workflow: receipt,
  transform: (payload) => {
    if (payload.id === "bad") throw new Error("no such order");
    return { order: payload.id };
  },
});
`,
  "workflows/receipt.ts": `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import { send } from "../lib/send";

export default defineWorkflow({
  slug: "receipt",
  input: z.object({ order: z.string() }),
  run: ({ order }) => send(order),
});
`,
  "lib/send.ts": `// Shared by workflows.
export function send(order: string): string {
  if (order === "lost") {
    throw new Error("the mail server is gone");
  }
  return \`sent \${order}\`;
}
`,
};

import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { atExit } from "../auditor/at-exit.ts";
import { childrenOf } from "../auditor/processes.ts";
import type { OnCleanup } from "../../scripts/cleanups.ts";
import { writeProject } from "../support/project.ts";
import { signalbox, startService, type Service, type ServiceOptions } from "../support/service.ts";

/** A deployed project, with its store at a path of the test. */
export interface FaultyProject {
  projectDir: string;
  /** The store's file. */
  file: string;
  key: string;
  env: NodeJS.ProcessEnv;
}

/** `signalbox start` of such a project, before a fault. */
export interface FaultyService extends Service, FaultyProject {
  pid: number;
  receiver(): number[];
  web(): number[];
  workers(): number[];
  /** The executed steps, in their order, regardless of the store: `<n>:<step>`. */
  effects(): string[];
}

/** Two steps with a durable sleep between them; each writes to a file that it was executed. */
const files = {
  "signalbox.config.ts": `import { defineConfig } from "signalbox/config";\nexport default defineConfig({ workers: 1 });`,
  "workflows/note.ts": `
    import { appendFileSync } from "node:fs";
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "note",
      input: z.object({ n: z.number(), ms: z.number(), sleepMs: z.number() }),
      retries: { attempts: 5, backoff: "fixed", initialDelay: "100ms" },
      timeout: "30m",
      async run(input, ctx) {
        const work = (step: string) => ctx.step(step, async () => {
          await new Promise((resolve) => setTimeout(resolve, input.ms));
          appendFileSync("effects.log", input.n + ":" + step + "\\n");
        });
        await work("first");
        await ctx.sleep("pause", input.sleepMs);
        await work("second");
      },
    });`,
  "triggers/take-note.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import note from "../workflows/note";
    export default defineWebhookSource({ slug: "take-note", endpoint: "notes", request: z.object({ n: z.number(), ms: z.number(), sleepMs: z.number(), padding: z.string() }) })
      .attach({ workflow: note, transform: ({ n, ms, sleepMs }) => ({ n, ms, sleepMs }) });`,
};

const keySchema = z.object({ secret: z.string() });

let original: FaultyProject | null = null;

/**
 * A project that is built, with a key. `file`: path of its store. Default: below the project. `files`: more files
 * beside its own. `onCleanup`: when it is removed. Default: when the test ends.
 */
export function prepareFaultyProject(
  p: { file?: string; files?: Record<string, string>; onCleanup?: OnCleanup } = {},
): FaultyProject {
  const projectDir = writeProject({ ...files, ...p.files }, p.onCleanup);
  if (p.file) return build(projectDir, p.file);
  // Every project has the same workflows and triggers: they are built once.
  original ??= buildOriginal();
  cpSync(join(original.projectDir, ".signalbox"), join(projectDir, ".signalbox"), { recursive: true });
  const file = join(projectDir, ".signalbox/signalbox.db");
  return { projectDir, file, key: original.key, env: { SIGNALBOX_DATABASE_URL: `file:${file}` } };
}

function buildOriginal(): FaultyProject {
  const projectDir = writeProject(files, (cleanUp) => atExit(() => void cleanUp()));
  return build(projectDir, join(projectDir, ".signalbox/signalbox.db"));
}

function build(projectDir: string, file: string): FaultyProject {
  const env = { SIGNALBOX_DATABASE_URL: `file:${file}` };
  command(["build"]);
  const key = keySchema.parse(JSON.parse(command(["keys", "create", "--name", "faults", "--json"]))).secret;
  return { projectDir, file, key, env };

  function command(args: string[]): string {
    const { status, stdout, stderr } = signalbox(args, { cwd: projectDir, env });
    if (status !== 0) throw new Error(`signalbox ${args.join(" ")} ended with ${status}: ${stderr}`);
    return stdout;
  }
}

export async function startFaultyService(
  project: FaultyProject,
  options: Partial<ServiceOptions> = {},
): Promise<FaultyService> {
  const service = await startService({
    projectDir: project.projectDir,
    command: "start",
    ...options,
    env: { ...project.env, ...options.env },
  });
  const pid = service.child.pid ?? 0;
  return {
    ...project,
    ...service,
    pid,
    receiver: () => childrenOf(pid, "receiver"),
    web: () => childrenOf(pid, "web"),
    workers: () => childrenOf(pid, "worker"),
    effects: () => readEffects(project.projectDir),
  };
}

function readEffects(projectDir: string): string[] {
  const file = join(projectDir, "effects.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

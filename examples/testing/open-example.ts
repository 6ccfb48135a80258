import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { buildProject } from "../../cli/build/build-project.ts";
import { renderDiagnostics } from "../../cli/build/diagnostics/diagnostic.ts";
import { makeProject } from "../../cli/build/testing/make-project.ts";
import { agentStepSchema } from "../../server/contract/agent/trace.ts";
import { jsonSchema } from "../../server/contract/json.ts";
import { executeRun } from "../../server/engine/execute-run.ts";
import { createEngineHarness } from "../../server/engine/testing/engine-harness.ts";
import { silentLogger } from "../../server/ports/logger.ts";
import { loadCode } from "../../server/project/load-code.ts";
import { readManifest } from "../../server/project/read-manifest.ts";

/**
 * An example as it is built, with runs of its triggers as a worker executes them, on a real store. Its environment must
 * be set before.
 */
export async function openExample(name: string) {
  const projectDir = makeProject({}, name);
  cpSync(join(import.meta.dirname, "..", name), projectDir, {
    recursive: true,
    filter: (path) => !/(\.signalbox|outbox|node_modules)$/.test(path),
  });
  const built = await buildProject({ projectDir });
  expect(renderDiagnostics(built.ok ? built.warnings : built.diagnostics, { color: false })).toBe("");
  const stateDir = join(projectDir, ".signalbox");
  const manifest = await readManifest(stateDir);
  if (!manifest) throw new Error("It is not built");
  const code = await loadCode(stateDir, manifest);
  const engine = await createEngineHarness();
  onTestFinished(() => engine.close());
  vi.spyOn(process, "cwd").mockReturnValue(projectDir);

  async function executeNext() {
    const run = await engine.claim();
    await executeRun(run, {
      progress: engine.store,
      code,
      clock: engine.clock,
      logger: silentLogger,
      random: () => 0.5,
    }).ended;
  }

  async function read(id: string) {
    const steps = (await engine.store.loadSteps(id)).flatMap(
      ({ result }) => agentStepSchema.safeParse(result).data ?? [],
    );
    return { ...(await engine.read(id)), steps };
  }

  /** A run of a trigger, by the body of a webhook. */
  async function start(trigger: string, body: unknown): Promise<string> {
    const built = manifest?.triggers.find(({ slug }) => slug === trigger);
    if (!built?.target) throw new Error(`There is no trigger ${trigger} with a target`);
    return await engine.createRun({
      trigger,
      attachmentId: built.attachmentId,
      target: built.target,
      startedBy: "webhook",
      input: null,
      payload: jsonSchema.parse(body),
    });
  }

  return {
    manifest,
    projectDir,
    store: engine.store,
    clock: engine.clock,
    start,
    /** Executes once: to the end, or until the run waits. */
    async stretch(id: string) {
      await executeNext();
      return await read(id);
    },
    /** A run for each body, all at the same time, each to its end or until it waits. */
    async runAll(trigger: string, bodies: readonly unknown[]) {
      const ids: string[] = [];
      for (const body of bodies) ids.push(await start(trigger, body));
      await Promise.all(ids.map(executeNext));
      return await Promise.all(ids.map(read));
    },
    async run(trigger: string, body: unknown) {
      const id = await start(trigger, body);
      return await this.stretch(id);
    },
  };
}

import { existsSync, realpathSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { SettingsError } from "../../server/config/environment.ts";
import type { Manifest } from "../../server/contract/project/manifest.ts";
import type { ProjectSettings } from "../../server/contract/project/settings.ts";
import { removeOldBuilds } from "../../server/project/kept-builds.ts";
import { writeCurrent } from "../../server/project/write-manifest.ts";
import { type StackMapper, createStackMapper } from "../../server/project/map-stack.ts";
import { type Bundle, type BundledFile, bundleCode, bundleSources, moduleOf, writeBundle } from "./bundle/bundle.ts";
import { bundleDiagnostics } from "./diagnostics/bundle-diagnostics.ts";
import { type BuiltEnvironment, readEnvironment } from "./environment/read-environment.ts";
import { BuildFailure, type Diagnostic, sortDiagnostics } from "./diagnostics/diagnostic.ts";
import { type Evaluation, type Evaluator, createEvaluator } from "./evaluation/evaluator.ts";
import type { Entry, EvaluatedEntry } from "./evaluation/protocol.ts";
import type { Standby } from "./evaluation/standby.ts";
import { findSettingsFile, loadProjectSettings } from "./load-project-settings.ts";
import { makeManifest, orderTriggers } from "./make-manifest.ts";
import { createProjectFiles, discover, type DiscoveredFiles, type ProjectFiles } from "./project-files.ts";
import { projectDiagnostics } from "./checks/check-project.ts";
import { startTypeCheck } from "./checks/check-types.ts";
import { finishDraft, makeDraft, prepareStateFolder, stateFolderFailure } from "./state-folder.ts";

export type BuildResult =
  | {
      ok: true;
      manifest: Manifest;
      warnings: Diagnostic[];
      /** The inputs of the code bundle: paths in the project, with `/`. */
      inputs: string[];
      /** The packages that its code imports when it is loaded. */
      packages: readonly string[];
    }
  | { ok: false; diagnostics: Diagnostic[] };

export interface BuildOptions {
  projectDir: string;
  /** Aborts the build, which then throws the signal's reason. */
  signal?: AbortSignal;
  /** Time limit for the top-level code of one file. Default: 20,000. */
  evaluationTimeoutMs?: number;
  /** A project without triggers is built with a warning, for development. */
  mayLackTriggers?: boolean;
  /** Also runs the project's own TypeScript. Its errors are errors of the build. */
  checkTypes?: boolean;
  /** Has the process that evaluates the project. Default: a new process. */
  standby?: Standby;
}

/** A complete build in the folder of a draft. */
interface Draft {
  stateDir: string;
  draft: string;
  manifest: Manifest;
  files: readonly BundledFile[];
}

/**
 * Builds a project into its `.signalbox/`: bundles, exported schemas, and the manifest that makes them current. All
 * errors of the project are returned at once as diagnostics, and the last successful build stays current.
 */
export function buildProject(
  options: BuildOptions & {
    /**
     * Called when the build is complete and in its folder, before it becomes current. Returns the versions of the
     * builds that open runs need: they are not removed. `null`: unknown, so none is removed. If it throws, the last
     * build stays current.
     */
    beforeCurrent?: (manifest: Manifest) => Promise<ReadonlySet<string> | null>;
  },
): Promise<BuildResult> {
  const approve = async (manifest: Manifest) =>
    options.beforeCurrent ? await options.beforeCurrent(manifest) : new Set<string>();
  return buildInto(options, async ({ stateDir, draft, manifest, files }) => {
    const folder = join(stateDir, manifest.folder);
    const isNew = !existsSync(folder);
    await finishDraft({ stateDir, draft, manifest, files });
    const needed = await approve(manifest).catch(async (error: unknown) => {
      if (isNew) await rm(folder, { recursive: true, force: true });
      throw error;
    });
    await writeCurrent(stateDir, manifest);
    // Without knowledge of the open runs, every build may be needed.
    if (needed !== null)
      await removeOldBuilds(join(stateDir, "builds"), { current: manifest.version, readNeeded: async () => needed });
  });
}

/** Builds a project without making the build current. `use` gets the build, which is removed afterwards. */
export function withDraftBuild(
  options: BuildOptions,
  use: (build: { stateDir: string; manifest: Manifest }) => Promise<void>,
): Promise<BuildResult> {
  return buildInto(options, ({ stateDir, draft, manifest }) =>
    use({ stateDir, manifest: { ...manifest, folder: relative(stateDir, draft) } }),
  );
}

/** The builds of tests, in `.signalbox/`. */
const testBuilds = "tests";

/**
 * Builds a project into `.signalbox/tests/`, where tests of the project share it. The current build does not change.
 * The manifest that it returns has the folder of that build.
 */
export function buildForTests(options: BuildOptions): Promise<BuildResult> {
  return buildInto(options, async ({ stateDir, draft, manifest, files }) => {
    const builds = join(stateDir, testBuilds);
    await mkdir(builds, { recursive: true });
    manifest.folder = `${testBuilds}/${manifest.version}`;
    await finishDraft({ stateDir, draft, manifest, files });
    await removeOldBuilds(builds, { current: manifest.version, readNeeded: async () => new Set() });
  });
}

async function buildInto(options: BuildOptions, finish: (draft: Draft) => Promise<void>): Promise<BuildResult> {
  const projectDir = existsSync(options.projectDir) ? realpathSync(options.projectDir) : resolve(options.projectDir);
  const files = createProjectFiles(projectDir);
  try {
    return await build({ projectDir, files, options, finish });
  } catch (error) {
    if (error instanceof BuildFailure) return { ok: false, diagnostics: sortDiagnostics(error.diagnostics) };
    throw stateFolderFailure(error, projectDir) ?? error;
  }
}

async function build({
  projectDir,
  files,
  options,
  finish,
}: {
  projectDir: string;
  files: ProjectFiles;
  options: BuildOptions;
  finish: (draft: Draft) => Promise<void>;
}): Promise<BuildResult> {
  const discovered = await discover(projectDir);
  const missing = discoveryDiagnostics(discovered, files, options.mayLackTriggers === true && isProject(projectDir));
  failOnErrors(missing);
  const stateDir = await prepareStateFolder(projectDir);
  const draft = await makeDraft(stateDir);
  const evaluator = createEvaluator({
    projectDir,
    timeoutMs: options.evaluationTimeoutMs ?? 20_000,
    signal: options.signal,
    standby: options.standby,
  });
  const { checkTypes: isWanted = false, signal } = options;
  const typeCheck = startTypeCheck({ projectDir, files, isWanted, signal });
  try {
    const code = await bundleCode({
      projectDir,
      outDir: draft,
      files: [...discovered.workflows, ...discovered.agents, ...discovered.triggers],
    });
    // While another process evaluates the code, this one has time.
    const loading = loadSettings(projectDir, files);
    // Awaited after the evaluation. Until then, a rejection must not end this process.
    loading.catch(() => {});
    if (!code.ok) throw new BuildFailure([...(await loading).diagnostics, ...bundleDiagnostics(code.errors, files)]);

    await writeBundle(draft, code.files);
    const mapper = createStackMapper({ buildDir: draft, projectDir });
    const evaluating = evaluateAll(draft, discovered, code, evaluator);
    // If the next line throws, nothing waits for it.
    evaluating.catch(() => {});
    const environment = readEnvironmentOf(code, discovered);
    const evaluation = await evaluating;
    const settings = await loading;
    failOnErrors(settings.diagnostics);
    options.signal?.throwIfAborted();
    const sources = await bundleSourcesOf(projectDir, draft, discovered, evaluation.entries);
    const found = await projectDiagnostics({
      evaluation,
      environment,
      code,
      sources,
      discovered,
      settings: settings.value,
      files,
      mapper,
    });
    failOnErrors([...found, ...(await typeCheck.errors)]);
    options.signal?.throwIfAborted();
    if (!sources.ok) throw new Error("unreachable: a failed bundle has errors");

    await writeBundle(draft, sources.files);
    failOnErrors(await compareSources(evaluator, evaluation.entries, { files, mapper }));
    const built = [...code.files, ...sources.files];
    const manifest = makeManifest({
      projectDir,
      entries: evaluation.entries,
      environment,
      settings: settings.value,
      files: built,
      sources: "sources.mjs",
      now: new Date(),
    });
    options.signal?.throwIfAborted();
    evaluator.close();
    await finish({ stateDir, draft, manifest, files: built });
    return {
      ok: true,
      manifest,
      warnings: sortDiagnostics([...missing, ...found]),
      inputs: [...code.imports.keys()],
      packages: code.packages,
    };
  } finally {
    typeCheck.stop();
    evaluator.close();
    await rm(draft, { recursive: true, force: true });
  }
}

/** Fails the build if a diagnostic is an error. */
function failOnErrors(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.some(({ severity }) => severity === "error")) throw new BuildFailure([...diagnostics]);
}

/** Whether the folder is a project: an empty folder or a wrong one is an error. */
function isProject(projectDir: string): boolean {
  return ["package.json", "triggers"].some((name) => existsSync(join(projectDir, name)));
}

function discoveryDiagnostics(
  { triggers }: DiscoveredFiles,
  files: ProjectFiles,
  mayLackTriggers: boolean,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  if (triggers.length === 0)
    found.push(
      files.diagnose({
        code: "no_triggers",
        title: "There are no triggers: triggers/ is missing or has no trigger file",
        at: null,
        ...(mayLackTriggers && { severity: "warning" }),
      }),
    );
  return found;
}

async function loadSettings(
  projectDir: string,
  files: ProjectFiles,
): Promise<{ value: ProjectSettings; diagnostics: Diagnostic[] }> {
  try {
    return { value: await loadProjectSettings(projectDir), diagnostics: [] };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return {
      value: {},
      diagnostics: [
        files.diagnose({ code: "invalid_settings", title: error.message, at: settingsLocation(projectDir) }),
      ],
    };
  }
}

function settingsLocation(projectDir: string): { file: string } | null {
  try {
    const file = findSettingsFile(projectDir);
    return file === null ? null : { file };
  } catch {
    // There are several settings files, which the diagnostic reports.
    return null;
  }
}

function evaluateAll(
  buildDir: string,
  discovered: DiscoveredFiles,
  code: Bundle & { ok: true },
  evaluator: Evaluator,
): Promise<Evaluation> {
  const entries = [
    ...discovered.workflows.map((file) => toEntry("workflow", file)),
    ...discovered.agents.map((file) => toEntry("agent", file)),
    ...discovered.triggers.map((file) => toEntry("trigger", file)),
  ];
  return evaluator.evaluate({ buildDir, entries, importersOf: (file) => importersOf(file, code.imports) });
}

function toEntry(kind: Entry["kind"], file: string): Entry {
  return { kind, file, module: moduleOf(file) };
}

/** All files that import a file, directly or through others. */
function importersOf(file: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const importers = new Set<string>();
  const pending = [file];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [importer, imported] of imports) {
      if (!imported.includes(next) || importers.has(importer)) continue;
      importers.add(importer);
      pending.push(importer);
    }
  }
  return importers;
}

const decoder = new TextDecoder();

function readEnvironmentOf(code: Bundle & { ok: true }, { triggers }: DiscoveredFiles): BuiltEnvironment {
  return readEnvironment({
    files: code.files
      .filter(({ path }) => path.endsWith(".mjs"))
      .map(({ path, contents }) => ({ path, code: decoder.decode(contents) })),
    triggerFiles: triggers,
    importersOf: (file) => importersOf(file, code.imports),
  });
}

/** A workflow or agent that could not be evaluated has no slug yet, but its imports are checked. */
function bundleSourcesOf(
  projectDir: string,
  outDir: string,
  discovered: DiscoveredFiles,
  entries: readonly EvaluatedEntry[],
): Promise<Bundle> {
  const slugs = new Map(
    entries.flatMap((entry) =>
      entry.outcome === "workflow"
        ? [[entry.file, String(entry.workflow.slug)] as const]
        : entry.outcome === "agent"
          ? [[entry.file, String(entry.agent.slug)] as const]
          : [],
    ),
  );
  const toTarget = (kind: "workflow" | "agent") => (file: string) =>
    [file, { kind, slug: slugs.get(file) ?? "" }] as const;
  const targets = new Map([
    ...discovered.workflows.map(toTarget("workflow")),
    ...discovered.agents.map(toTarget("agent")),
  ]);
  const evaluated = orderTriggers(entries).map(({ file }) => file);
  const triggerFiles = [...evaluated, ...discovered.triggers.filter((file) => !evaluated.includes(file))];
  return bundleSources({ projectDir, outDir, triggerFiles, targets });
}

async function compareSources(
  evaluator: Evaluator,
  entries: readonly EvaluatedEntry[],
  { files, mapper }: { files: ProjectFiles; mapper: StackMapper },
): Promise<Diagnostic[]> {
  const triggerFiles = orderTriggers(entries).map(({ file }) => file);
  if (triggerFiles.length === 0) return [];
  const { differing, error } = await evaluator.checkSources({ module: "sources.mjs", files: triggerFiles });
  if (error) {
    const at = mapper.locate(error.stack);
    return [
      files.diagnose({
        code: "sources_differ",
        title: `${at?.file ?? "A trigger"} cannot be loaded without its workflow: ${error.message.split("\n", 1)[0]}`,
        at,
      }),
    ];
  }
  return differing.map((file) =>
    files.diagnose({
      code: "sources_differ",
      title: `${file} is different without its workflow`,
      at: { file },
    }),
  );
}

import type { ProjectSettings } from "../../../server/contract/project/settings.ts";
import type { StackMapper } from "../../../server/project/map-stack.ts";
import type { Bundle } from "../bundle/bundle.ts";
import { beyondDefaultDiagnostics, bundleDiagnostics, bundleWarnings } from "../diagnostics/bundle-diagnostics.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { crashDiagnostic, exportDiagnostics, thrownDiagnostics } from "../diagnostics/evaluation-diagnostics.ts";
import type { BuiltEnvironment } from "../environment/read-environment.ts";
import type { Evaluation } from "../evaluation/evaluator.ts";
import type { DiscoveredFiles, ProjectFiles } from "../project-files.ts";
import { agentDiagnostics, promptDiagnostics } from "./check-agents.ts";
import { bodyDiagnostics } from "./check-bodies.ts";
import { filterDiagnostics } from "./check-filters.ts";
import { guardDiagnostics, secretDiagnostics } from "./check-guards.ts";
import { challengeDiagnostics } from "./check-challenges.ts";
import { keyDiagnostics, missingKeyDiagnostics } from "./check-keys.ts";
import { methodsDiagnostics } from "./check-methods.ts";
import { fieldsDiagnostics } from "./check-fields.ts";
import { cycleDiagnostics, findCycles, unattachedDiagnostics } from "./check-imports.ts";
import { definitionDiagnostics } from "./check-definitions.ts";
import { schemaDiagnostics } from "./check-schemas.ts";

interface Findings {
  evaluation: Evaluation;
  environment: BuiltEnvironment;
  code: Bundle & { ok: true };
  sources: Bundle;
  discovered: DiscoveredFiles;
  settings: ProjectSettings;
  files: ProjectFiles;
  mapper: StackMapper;
}

/** All errors and warnings of the project. */
export async function projectDiagnostics({
  evaluation,
  environment,
  code,
  sources,
  discovered,
  settings,
  files,
  mapper,
}: Findings): Promise<Diagnostic[]> {
  const { entries, crashes } = evaluation;
  const kinds = new Map([
    ...discovered.workflows.map((file) => [file, "workflow"] as const),
    ...discovered.agents.map((file) => [file, "agent"] as const),
    ...discovered.triggers.map((file) => [file, "trigger"] as const),
  ]);
  const context = { files, mapper, uncheckedRegexes: settings.uncheckedRegexes ?? [] };
  const messages = sources.ok ? sources.warnings : [...sources.errors, ...sources.warnings];
  const cycles = findCycles(discovered, code.imports);
  // Which of the two files throws depends on the order in which they load.
  const isInCycle = (file: string) => cycles.some(({ trigger, target }) => file === trigger || file === target);
  const found = [
    ...bundleWarnings(code.warnings, files),
    ...crashes.map((crash) => crashDiagnostic(crash, context)),
    ...cycleDiagnostics(cycles, files),
    ...thrownDiagnostics(
      entries.filter(({ file }) => !isInCycle(file)),
      context,
    ),
    ...exportDiagnostics(entries, kinds, files),
    ...definitionDiagnostics(entries, files),
    ...unattachedDiagnostics({ entries, discovered, imports: code.imports, files }),
    ...guardDiagnostics(entries, files),
    ...secretDiagnostics(entries, files, environment.manifest.secrets),
    ...fieldsDiagnostics(entries, files),
    ...bodyDiagnostics(entries, files),
    ...challengeDiagnostics(entries, files),
    ...methodsDiagnostics(entries, files),
    ...filterDiagnostics(entries, files),
    ...agentDiagnostics(entries, files, settings),
    ...promptDiagnostics(entries, files),
    ...keyDiagnostics(entries, files),
    ...missingKeyDiagnostics(entries, files),
    ...(await schemaDiagnostics(entries, context)),
    ...beyondDefaultDiagnostics(messages, [...discovered.workflows, ...discovered.agents], files),
  ];
  const isSilent = !sources.ok && !found.some(({ severity }) => severity === "error");
  return isSilent ? [...found, ...bundleDiagnostics(sources.errors, files)] : found;
}

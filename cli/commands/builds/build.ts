import { relative } from "node:path";
import type { OpenRunCheck } from "../../../server/contract/project/build.ts";
import type { Manifest } from "../../../server/contract/project/manifest.ts";
import { formatDuration } from "../../../server/shared/format.ts";
import { type Diagnostic, diagnosticsJson, renderDiagnostics } from "../../build/diagnostics/diagnostic.ts";
import { Failure } from "../../terminal/failure.ts";
import type { CliCommand } from "../cli-command.ts";
import { type CommandContext, type CommandRunner, requireProject } from "../command-context.ts";
import { counts } from "../service/service-events.ts";
import { countText } from "../service/text-events.ts";
import { checkOpenRuns, describeOpenRuns, findStore } from "./open-runs.ts";

export function registerBuild(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("build", "Bundle the project and export its schemas to .signalbox/", [
      "signalbox build",
      "signalbox build --check-types --check-open-runs",
      "signalbox build --project services/hooks --json",
    ])
    .option("--check-types", "Also run the project's own TypeScript. Its errors fail the build")
    .option("--check-open-runs", "Fail if an open run does not fit the new build. The last build then stays current")
    .action(runner.action(build));
}

async function build(
  context: CommandContext,
  { checkTypes = false, checkOpenRuns: isStrict = false },
): Promise<number> {
  const { projectDir, terminal } = context;
  requireProject(projectDir);
  const startedAt = performance.now();
  const { buildProject } = await import("../../build/build-project.ts");
  let openRuns: OpenRunCheck | null = null;
  const result = await buildProject({
    projectDir,
    checkTypes,
    async beforeCurrent(manifest) {
      const store = await findStore(context, manifest, { isStrict });
      if (store === "none") return new Set();
      openRuns = store === "unknown" ? null : await readOpenRuns(context, manifest, { isStrict });
      if (openRuns !== null && isStrict && openRuns.misfits > 0) throw misfitFailure(openRuns);
      return openRuns === null ? null : new Set(openRuns.neededBuilds);
    },
  });
  const color = terminal.err.hasColor;
  if (!result.ok) return reportFailedBuild(context, result.diagnostics);
  const { manifest, warnings } = result;
  const durationMs = Math.round(performance.now() - startedAt);
  if (warnings.length > 0 && !context.isJson) context.notify(renderDiagnostics(warnings, { color }));
  const misfits = openRuns && describeOpenRuns(openRuns);
  if (misfits && !context.isJson) context.notify(misfits);
  context.print({
    document: { ...counts(manifest), folder: manifest.folder, durationMs, warnings, openRuns },
    text: () =>
      `${terminal.out.paint("good", "✓")} built ${terminal.out.paint("strong", manifest.version)} in ${formatDuration(durationMs)}: ${countText(manifest)}, in ${folderText(context, manifest.folder)}\n`,
  });
  return 0;
}

/** `null`: they could not be read. A build does not need them, unless `isStrict`. */
async function readOpenRuns(
  context: CommandContext,
  manifest: Manifest,
  { isStrict }: { isStrict: boolean },
): Promise<OpenRunCheck | null> {
  try {
    return await checkOpenRuns(await context.api(), manifest);
  } catch (error) {
    if (isStrict) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    context.notify(`Open runs were not compared with this build: ${reason}`);
    return null;
  }
}

function misfitFailure(check: OpenRunCheck): Failure {
  return new Failure(describeOpenRuns(check) ?? "", {
    code: "open_runs_misfit",
    fix: "Change the build so that they fit, or let them end first. The last build stays current.",
    extra: { openRuns: check },
  });
}

/** Prints the errors of a project and returns the exit code. With --json, throws them as a Failure. */
export function reportFailedBuild(context: CommandContext, diagnostics: readonly Diagnostic[]): 1 {
  if (context.isJson) throw buildFailure(diagnostics);
  context.notify(renderDiagnostics(diagnostics, { color: context.terminal.err.hasColor }));
  return 1;
}

function buildFailure(all: readonly Diagnostic[]): Failure {
  const { diagnostics, warnings } = diagnosticsJson(all);
  return new Failure(diagnostics[0]?.title ?? "The build failed.", {
    code: "build_failed",
    extra: { diagnostics, warnings },
  });
}

function folderText({ cwd, projectDir }: CommandContext, folder: string): string {
  return `${relative(cwd, projectDir) || "."}/.signalbox/${folder}`;
}

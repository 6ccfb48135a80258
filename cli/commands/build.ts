import { relative } from "node:path";
import { type Diagnostic, diagnosticsJson, renderDiagnostics } from "../build/diagnostics/diagnostic.ts";
import { Failure } from "../terminal/failure.ts";
import type { CliCommand } from "./cli-command.ts";
import { type CommandContext, type CommandRunner, requireProject } from "./command-context.ts";
import { counts } from "./service/service-events.ts";
import { countText } from "./service/text-events.ts";
import { formatDuration } from "../../server/domain/format.ts";

export function registerBuild(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("build", "Bundle the project and export its schemas to .signalbox/", [
      "signalbox build",
      "signalbox build --project services/hooks --json",
    ])
    .action(runner.action(build));
}

async function build(context: CommandContext): Promise<number> {
  const { projectDir, terminal } = context;
  requireProject(projectDir);
  const startedAt = performance.now();
  const { buildProject } = await import("../build/build-project.ts");
  const result = await buildProject({ projectDir });
  const color = terminal.err.hasColor;
  if (!result.ok) return reportFailedBuild(context, result.diagnostics);
  const { manifest, warnings } = result;
  const durationMs = Math.round(performance.now() - startedAt);
  if (warnings.length > 0 && !context.isJson) context.notify(renderDiagnostics(warnings, { color }));
  context.print({
    document: { ...counts(manifest), folder: manifest.folder, durationMs, warnings },
    text: () =>
      `${terminal.out.paint("good", "✓")} built ${terminal.out.paint("strong", manifest.version)} in ${formatDuration(durationMs)}: ${countText(manifest)}, in ${folderText(context, manifest.folder)}\n`,
  });
  return 0;
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

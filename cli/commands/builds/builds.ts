import { type Build, buildSchema, buildsSchema } from "../../../server/contract/project/build.ts";
import { formatNumber, formatRelativeTime } from "../../../server/shared/format.ts";
import { apiPath } from "../../../server/contract/api-request.ts";
import { findRunningServer, readClientSettings } from "../../api/running-server.ts";
import { Failure } from "../../terminal/failure.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Paint } from "../../terminal/terminal.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";

export function registerBuildsList(builds: CliCommand, runner: CommandRunner): void {
  builds
    .subcommand("list", "List the builds of this machine, newest first, with their open runs", [
      "signalbox builds list",
    ])
    .action(runner.action(listBuilds));
}

async function listBuilds(context: CommandContext): Promise<void> {
  const api = await context.api();
  const document = await api.request({ path: "/builds", answer: buildsSchema });
  context.print({
    document,
    text: () => renderBuilds(document.data, { paint: context.terminal.out.paint, now: context.now() }),
  });
  const gone = document.data.filter(({ builtAt, openRuns }) => builtAt === null && openRuns > 0);
  if (gone.length > 0 && !context.isJson)
    context.notify(
      "Open runs of builds that are gone continue on the current build. Those that do not fit it fail; see `signalbox runs resume`.",
    );
}

function renderBuilds(builds: readonly Build[], { paint, now }: { paint: Paint; now: number }): string {
  if (builds.length === 0) return "";
  return renderTable({
    headings: ["STATE", "ID", "BUILT", "OPEN RUNS"],
    rows: builds.map(({ id, builtAt, isCurrent, openRuns }) => [
      isCurrent ? `${paint("good", "✓")} current` : builtAt === null ? `${paint("warn", "⊘")} gone` : "kept",
      id,
      builtAt === null ? "-" : formatRelativeTime(builtAt, now),
      formatNumber(openRuns),
    ]),
    paint,
  });
}

export function registerBuildsRollback(builds: CliCommand, runner: CommandRunner): void {
  builds
    .subcommand(
      "rollback",
      "Make the previous build current, or the build with this id. Open runs stay on their builds",
      ["signalbox builds rollback", "signalbox builds rollback 1f0c9a2b7d3e"],
    )
    .argument("[id]", "Id of the build, see `signalbox builds list` (default: the build before the current one)")
    .action(runner.action(rollBack));
}

async function rollBack(context: CommandContext, given: string | undefined): Promise<void> {
  const api = await context.api();
  const id = given ?? (await api.request({ path: "/builds", answer: buildsSchema })).previous;
  if (id === null)
    throw new Failure("There is no build before the current one.", {
      code: "no_previous_build",
      fix: "Run `signalbox builds list` to see the builds, and pass the id of one.",
    });
  const document = await api.request({
    method: "POST",
    path: apiPath`/builds/${id}/rollback`,
    answer: buildSchema,
    notFoundFix: "Run `signalbox builds list` to see the builds.",
  });
  context.print({ document, text: () => `${document.id} is the current build.\n` });
  if (context.isJson) return;
  const isServed = readClientSettings() !== null || findRunningServer(context.projectDir) !== null;
  context.notify(
    isServed
      ? "The service loads it now. Open runs continue on the builds that accepted them."
      : "No service runs here. The next `signalbox start` serves this build.",
  );
}

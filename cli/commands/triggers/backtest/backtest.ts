import { join } from "node:path";
import type { Backtest } from "../../../../server/contract/backtest.ts";
import type { Manifest } from "../../../../server/contract/project/manifest.ts";
import { didYouMean } from "../../../../sdk/did-you-mean.ts";
import { findRunningServer, readClientSettings } from "../../../api/running-server.ts";
import { Failure } from "../../../terminal/failure.ts";
import { createProgressLine } from "../../../terminal/progress-line.ts";
import { reportFailedBuild } from "../../builds/build.ts";
import { type CommandContext, requireProject } from "../../command-context.ts";
import { compareDeliveries } from "./compare-deliveries.ts";
import { renderBacktest, withLinks } from "./render-backtest.ts";

export interface BacktestOptions {
  /** Milliseconds. */
  since: number;
  endpoint?: string;
  /** A kept build. Default: the working tree. */
  build?: string;
  transform?: boolean;
  input?: boolean;
  failOnChange?: boolean;
}

/**
 * Builds the working tree, without making the build current, and evaluates recorded deliveries with it, or with a kept
 * build. Exit code 0, also if there are differences, unless they shall fail the command.
 */
export async function backtest(
  context: CommandContext,
  slugOrEndpoint: string | undefined,
  options: BacktestOptions,
): Promise<number> {
  const { projectDir } = context;
  requireProject(projectDir);
  const found: { result?: Backtest } = {};
  const use = async (build: Build) => {
    const only = chooseOnly(build.manifest, slugOrEndpoint, options);
    found.result = await compare(context, { build, only, options });
  };
  if (options.build !== undefined) await use(await readKeptBuild(projectDir, options.build));
  else {
    const { withDraftBuild } = await import("../../../build/build-project.ts");
    const built = await withDraftBuild({ projectDir }, use);
    if (!built.ok) return reportFailedBuild(context, built.diagnostics);
  }
  if (!found.result) throw new Error("unreachable: a built project is compared");
  const result = withLinks(found.result, serviceUrl(projectDir));
  context.print({
    document: result,
    text: () => renderBacktest(result, { paint: context.terminal.out.paint }),
  });
  const { gained, lost, failed } = result;
  return options.failOnChange === true && gained + lost + failed > 0 ? 1 : 0;
}

interface Build {
  stateDir: string;
  manifest: Manifest;
}

async function readKeptBuild(projectDir: string, id: string): Promise<Build> {
  const { createBuilds } = await import("../../../../server/project/kept-builds.ts");
  const stateDir = join(projectDir, ".signalbox");
  const builds = createBuilds(stateDir);
  const manifest = await builds.read(id);
  if (manifest) return { stateDir, manifest };
  const known = (await builds.list()).map((build) => build.id);
  throw new Failure(`This machine has no build ${JSON.stringify(id)}.${didYouMean(id, known)}`, {
    code: "not_found",
    fix: "Run `signalbox builds list` to see the builds.",
  });
}

interface Only {
  endpoint: string | null;
  trigger: string | null;
}

/** The trigger or the endpoint to compare. Slugs take precedence, as in `triggers url`. */
function chooseOnly({ triggers }: Manifest, given: string | undefined, { endpoint }: BacktestOptions): Only {
  if (given === undefined) return { endpoint: endpoint ?? null, trigger: null };
  const trigger = triggers.find(({ slug }) => slug === given);
  if (trigger) return { endpoint: endpoint ?? trigger.endpoint, trigger: given };
  if (triggers.some((one) => one.endpoint === given) && endpoint === undefined)
    return { endpoint: given, trigger: null };
  const hint = didYouMean(
    given,
    triggers.flatMap(({ slug, endpoint: one }) => [slug, one]),
  );
  throw new Failure(`The project has no trigger and no endpoint ${JSON.stringify(given)}.${hint}`, {
    code: "not_found",
    fix: "--endpoint compares the deliveries of an endpoint that the project does not have any more.",
  });
}

async function compare(
  context: CommandContext,
  { build, only, options }: { build: Build; only: Only; options: BacktestOptions },
): Promise<Backtest> {
  const { err } = context.terminal;
  const api = await context.api();
  const until = context.now();
  const since = until - options.since;
  const progress = createProgressLine(err, context.now);
  try {
    return await compareDeliveries(
      {
        ...build,
        request: { ...only, since, until },
        check: options.input ? "input" : options.transform ? "transform" : null,
      },
      {
        deliveries: api.download({
          path: "/deliveries/export",
          query: { endpoint: only.endpoint ?? undefined, since: toIso(since), until: toIso(until) },
        }),
        onOutput: (text) => err.write(text),
        onProgress({ oldestAt }) {
          // The number of deliveries is not known in advance, but the period is.
          if (err.isTerminal) progress.show({ label: "comparing", done: until - oldestAt, of: until - since });
        },
      },
    );
  } finally {
    progress.clear();
  }
}

const toIso = (at: number): string => new Date(at).toISOString();

/** The URL of the app, for links; `null` if no service is known. */
function serviceUrl(projectDir: string): string | null {
  return readClientSettings()?.url ?? findRunningServer(projectDir)?.url ?? null;
}

import { AppError } from "../../contract/app-error.ts";
import type { Mode } from "../../config.ts";
import type { Build, BuildList } from "../../contract/project/build.ts";
import { didYouMean } from "../../../sdk/did-you-mean.ts";
import type { Builds } from "../../ports/builds.ts";
import type { Signals } from "../../ports/signals.ts";
import type { OpenRunStore } from "../../ports/store/open-run-store.ts";

interface BuildDeps {
  builds: Builds;
  store: Pick<OpenRunStore, "countOpenRunsByVersion">;
  mode: Mode;
}

/** The builds of this machine, newest first, then builds that it does not keep although their runs are open. */
export async function listBuilds({ builds, store, mode }: BuildDeps): Promise<BuildList> {
  const [kept, openRuns] = await Promise.all([builds.list(), store.countOpenRunsByVersion()]);
  const current = kept.findIndex(({ isCurrent }) => isCurrent);
  const isKept = new Set(kept.map(({ id }) => id));
  const gone = [...openRuns.keys()].filter((id) => !isKept.has(id)).sort();
  const data = [
    ...kept.map((build): Build => ({ ...build, openRuns: openRuns.get(build.id) ?? 0 })),
    ...gone.map((id): Build => ({ id, builtAt: null, isCurrent: false, openRuns: openRuns.get(id) ?? 0 })),
  ];
  return { data, previous: kept[current + 1]?.id ?? null, canRollBack: mode !== "development" };
}

/**
 * Makes an older build current, or a newer one again. This machine then loads it. Open runs continue on the builds that
 * accepted them. Throws AppError `invalid_request` in development, `not_found` if this machine does not keep the build,
 * and `build_unusable` if it cannot be loaded.
 */
export async function rollBack(deps: BuildDeps & { signals: Signals }, id: string): Promise<Build> {
  if (deps.mode === "development")
    throw new AppError(
      "invalid_request",
      "`signalbox dev` always serves the newest build. Change the files of the project instead.",
    );
  const known = (await deps.builds.list()).map((build) => build.id);
  if (!known.includes(id))
    throw new AppError("not_found", `This machine has no build ${JSON.stringify(id)}.${didYouMean(id, known)}`);
  await deps.builds.makeCurrent(id).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("build_unusable", `Build ${id} cannot be loaded. ${reason}`, { cause });
  });
  deps.signals.buildChanged();
  const build = (await listBuilds(deps)).data.find((one) => one.id === id);
  if (!build) throw new AppError("not_found", `The build ${id} was removed.`);
  return build;
}

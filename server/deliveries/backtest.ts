import { AppError } from "../contract/app-error.ts";
import type { Backtest } from "../contract/backtest.ts";
import { didYouMean } from "../../sdk/did-you-mean.ts";
import { dropUndefined } from "../domain/drop-undefined.ts";
import { maskReasonsOf } from "../domain/privacy/mask-delivery.ts";
import type { Masks } from "../domain/privacy/sensitive-rules.ts";
import { createBacktest } from "../matching/backtest.ts";
import { type Clock, elapsedMs } from "../ports/clock.ts";
import type { Builds } from "../ports/builds.ts";
import type { Masking } from "../ports/masking.ts";
import type { ProjectReader, ProjectSources } from "../ports/project.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";
import { readWithBodies } from "./export-deliveries.ts";

/** The newest deliveries are compared, at most this many. */
const maxDeliveries = 20_000;
/** Deliveries are compared for at most this time, because a person waits. */
const maxMs = 10_000;
const defaultPeriodMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Evaluates recorded deliveries again with the current build, or with one that this machine keeps, and compares the
 * triggers that fire with those that fired. Starts and records nothing. A trigger is compared on its endpoint. Throws
 * AppError `not_found` for an unknown trigger or build, and `build_unusable` for a build that cannot be loaded.
 */
export async function backtest(
  deps: {
    originals: Pick<DeliveryStore, "listDeliveries" | "getDeliveryBodies">;
    masking: Pick<Masking, "readMasks">;
    project: ProjectReader;
    builds: Builds;
    clock: Clock;
  },
  request: {
    endpoint?: string | undefined;
    trigger?: string | undefined;
    /** Default: the current build. */
    build?: string | undefined;
    /** Unix milliseconds. Default: 7 days ago. */
    since?: number | undefined;
    signal?: AbortSignal | undefined;
  },
): Promise<Backtest> {
  const { clock } = deps;
  const sources = request.build === undefined ? deps.project.current() : await loadBuild(deps, request.build);
  const trigger = request.trigger ?? null;
  const endpoint = request.endpoint ?? (trigger === null ? null : endpointOf(sources, trigger));
  const until = clock.now();
  const since = request.since ?? until - defaultPeriodMs;
  const collected = createBacktest(sources, { endpoint, trigger, since, until });
  const end = elapsedMs(clock) + maxMs;
  let left = maxDeliveries;
  const filter = dropUndefined({ endpoint: endpoint ?? undefined, since });
  const masks = await deps.masking.readMasks();
  for await (const deliveries of readWithBodies({ store: deps.originals, clock }, filter, request.signal)) {
    for (const delivery of deliveries) {
      if (left === 0 || elapsedMs(clock) > end) return maskReport(masks, collected.end({ isComplete: false }));
      left -= 1;
      await collected.add(delivery);
    }
  }
  return maskReport(masks, collected.end({ isComplete: true }));
}

function maskReport(masks: Masks | null, report: Backtest): Backtest {
  if (!masks) return report;
  const triggers = report.triggers.map((trigger) => ({
    ...trigger,
    changes: trigger.changes.map((change) => ({ ...change, reasons: maskReasonsOf(masks, change) })),
  }));
  return { ...report, triggers };
}

async function loadBuild({ builds }: { builds: Builds }, id: string): Promise<ProjectSources> {
  const sources = await builds.loadSources(id).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("build_unusable", `Build ${id} cannot be loaded. ${reason}`, { cause });
  });
  if (sources) return sources;
  const known = (await builds.list()).map((build) => build.id);
  throw new AppError("not_found", `This machine has no build ${JSON.stringify(id)}.${didYouMean(id, known)}`);
}

function endpointOf({ triggers }: ProjectSources, slug: string): string {
  const found = triggers.find((trigger) => trigger.slug === slug);
  if (found) return found.endpoint;
  const hint = didYouMean(
    slug,
    triggers.map((trigger) => trigger.slug),
  );
  throw new AppError("not_found", `There is no trigger ${JSON.stringify(slug)} in this project.${hint}`);
}

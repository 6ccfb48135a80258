import { AppError } from "../contract/app-error.ts";
import { didYouMean } from "../domain/did-you-mean.ts";
import type { ProjectSources, TriggerSource } from "../ports/project.ts";

/** The attachments of a trigger. Throws AppError `not_found`. */
export function triggersWithSlug(sources: ProjectSources, slug: string): readonly [TriggerSource, ...TriggerSource[]] {
  const [first, ...rest] = sources.triggers.filter((trigger) => trigger.slug === slug);
  if (first) return [first, ...rest];
  const hint = didYouMean(
    slug,
    sources.triggers.map((trigger) => trigger.slug),
  );
  throw new AppError("not_found", `There is no trigger ${JSON.stringify(slug)} in this project.${hint}`);
}

/** The triggers on an endpoint. Throws AppError `unknown_endpoint`. */
export function triggersOnEndpoint(sources: ProjectSources, endpoint: string): readonly TriggerSource[] {
  const triggers = sources.byEndpoint.get(endpoint);
  if (triggers && triggers.length > 0) return triggers;
  const hint = didYouMean(endpoint, [...sources.byEndpoint.keys()]);
  throw new AppError("unknown_endpoint", `No trigger listens on ${JSON.stringify(endpoint)}.${hint}`);
}

/** Resolves the slug of a trigger, or an endpoint, to the endpoint; slugs take precedence. Throws AppError `not_found`. */
export function endpointFor(sources: ProjectSources, slugOrEndpoint: string): string {
  const bySlug = sources.triggers.find((trigger) => trigger.slug === slugOrEndpoint);
  if (bySlug) return bySlug.endpoint;
  if (sources.byEndpoint.has(slugOrEndpoint)) return slugOrEndpoint;
  const hint = didYouMean(
    slugOrEndpoint,
    sources.triggers.flatMap(({ slug, endpoint }) => [slug, endpoint]),
  );
  throw new AppError("not_found", `No trigger and no endpoint is called ${JSON.stringify(slugOrEndpoint)}.${hint}`);
}

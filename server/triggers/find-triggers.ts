import type { Mode } from "../config.ts";
import { AppError } from "../contract/app-error.ts";
import { bigintsOf } from "../contract/request-parts.ts";
import { didYouMean } from "../../sdk/did-you-mean.ts";
import { isLoopbackUrl } from "../domain/requests/local-request.ts";
import type { ProjectReader, ProjectSources, TriggerSource } from "../ports/project.ts";

/** `keyId` is the key whose token the URL has; `null` in development on this machine, where none is needed. */
interface TriggerUrl {
  endpoint: string;
  url: string;
  keyId: string | null;
}

/** A key that can be shown again. `sealed`: keys exist, but this server's secret decrypts none. */
type FindShowableKey = (
  endpoint: string,
) => Promise<{ found: true; keyId: string; secret: string } | { found: false; sealed: boolean }>;

const sealedDetail = (endpoint: string) =>
  `The webhook keys for ${endpoint} were encrypted with another SIGNALBOX_SECRET. They still work, but cannot be shown. Restore that secret, or create a key: signalbox keys create --endpoint ${endpoint}`;

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

/** How the numbers of a body for a trigger, or for an endpoint, are read. Unknown ones: as by default. */
export function bigintsFor(
  sources: ProjectSources,
  { trigger, endpoint }: { trigger?: string | undefined; endpoint?: string | undefined },
): "number" | "string" {
  const found =
    trigger === undefined
      ? sources.byEndpoint.get(endpoint ?? "")?.[0]
      : sources.triggers.find(({ slug }) => slug === trigger);
  return bigintsOf(found?.body);
}

/** Resolves the slug of a trigger, or an endpoint, to the endpoint; slugs take precedence. Throws AppError `not_found`. */
function endpointFor(sources: ProjectSources, slugOrEndpoint: string): string {
  const bySlug = sources.triggers.find((trigger) => trigger.slug === slugOrEndpoint);
  if (bySlug) return bySlug.endpoint;
  if (sources.byEndpoint.has(slugOrEndpoint)) return slugOrEndpoint;
  const hint = didYouMean(
    slugOrEndpoint,
    sources.triggers.flatMap(({ slug, endpoint }) => [slug, endpoint]),
  );
  throw new AppError("not_found", `No trigger and no endpoint is called ${JSON.stringify(slugOrEndpoint)}.${hint}`);
}

/**
 * The URL for a sender's settings, for a trigger or an endpoint. It contains the newest usable key of the endpoint if
 * the project is deployed, or if its base URL is a tunnel in development. Throws AppError `not_found`.
 */
export async function triggerUrl(
  deps: { project: ProjectReader; mode: Mode; baseUrl: () => string; findShowableKey: FindShowableKey },
  slugOrEndpoint: string,
): Promise<TriggerUrl> {
  const endpoint = endpointFor(deps.project.current(), slugOrEndpoint);
  const baseUrl = deps.baseUrl();
  const url = `${baseUrl}/triggers/${endpoint}`;
  if (deps.mode === "development" && isLoopbackUrl(baseUrl)) return { endpoint, url, keyId: null };
  const key = await deps.findShowableKey(endpoint);
  if (key.found) return { endpoint, url: `${url}?token=${key.secret}`, keyId: key.keyId };
  throw new AppError(
    "not_found",
    key.sealed
      ? sealedDetail(endpoint)
      : `No usable webhook key covers ${endpoint}. Create one: signalbox keys create --endpoint ${endpoint}`,
  );
}

import { AppError } from "../contract/app-error.ts";
import { didYouMean } from "../domain/did-you-mean.ts";
import type { ProjectSources, TriggerSource } from "../ports/project.ts";
import type { Arrival } from "./arrival.ts";

/**
 * The triggers on the endpoint that a request names. Throws AppError `invalid_path`, `unknown_endpoint` or
 * `method_not_allowed`.
 */
export function route(
  project: ProjectSources,
  { path, method }: Arrival,
): { endpoint: string; triggers: readonly TriggerSource[] } {
  if (path.kind === "unreadable")
    throw new AppError("invalid_path", "The path has a percent escape that does not decode to UTF-8.");
  const triggers = project.byEndpoint.get(path.endpoint) ?? [];
  if (triggers.length === 0)
    throw new AppError("unknown_endpoint", `No trigger listens on this endpoint.${hint(project, path.raw)}`);
  if (method !== "POST") throw new AppError("method_not_allowed", "Send webhooks as POST.");
  return { endpoint: path.endpoint, triggers };
}

/** The nearest endpoint, if one is near. Never repeats the sent path: it may contain a key by mistake. */
function hint(project: ProjectSources, raw: string): string {
  const given = raw.replace(/^\/+|\/+$/g, "");
  return given === "" || given.length > 64 ? "" : didYouMean(given, [...project.byEndpoint.keys()]);
}

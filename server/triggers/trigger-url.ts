import type { Mode } from "../config.ts";
import { AppError } from "../contract/app-error.ts";
import { isLoopbackUrl } from "../domain/requests/local-request.ts";
import type { ProjectReader } from "../ports/project.ts";
import { endpointFor } from "./find-triggers.ts";

/** `keyId` is the key whose token the URL has; `null` in development on this machine, where none is needed. */
export interface TriggerUrl {
  endpoint: string;
  url: string;
  keyId: string | null;
}

/** A key that can be shown again. `sealed`: keys exist, but this server's secret decrypts none. */
type FindShowableKey = (
  endpoint: string,
) => Promise<{ found: true; keyId: string; secret: string } | { found: false; sealed: boolean }>;

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

const sealedDetail = (endpoint: string) =>
  `The webhook keys for ${endpoint} were encrypted with another SIGNALBOX_SECRET. They still work, but cannot be shown. Restore that secret, or create a key: signalbox keys create --endpoint ${endpoint}`;

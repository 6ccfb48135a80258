import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { serviceUrl, type Settings } from "../../../server/config.ts";
import { isUsableKey } from "../../../server/shared/access/keys.ts";
import { type ApiClient, createApiClient } from "../../api/api-client.ts";
import { type CommandContext, isWatched } from "../command-context.ts";
import { createdKeyAnswer, keysAnswer, createFirstKey } from "../keys/create.ts";
import type { ServiceEvents } from "../service/service-events.ts";

const dayMs = 86_400_000;
const tokenLifetimeMs = 30 * dayMs;

/**
 * Prepares a `dev` that other machines can reach: creates a webhook key and an API token, which their requests need.
 * The token is shown only at a terminal. Returns a function that shows the access once the service has started.
 */
export async function prepareRemoteAccess(
  context: CommandContext,
  { settings, events }: { settings: Settings; events: ServiceEvents },
): Promise<(service: { url: string }) => void> {
  const { openLocalApi } = await import("../../../server/processes/web/open-local-api.ts");
  const local = await openLocalApi({
    projectDir: settings.projectDir,
    running: { mode: "development", url: serviceUrl(settings, settings.port) },
  });
  try {
    const api = createApiClient((request) => local.fetch(request));
    await createFirstKey(api);
    const token = isWatched(context)
      ? await findOrCreateToken(api, { file: join(settings.stateDir, "dev-token"), now: context.now() })
      : null;
    return ({ url }) => showAccess({ context, events, url, token });
  } finally {
    await local.close();
  }
}

function showAccess({
  context,
  events,
  url,
  token,
}: {
  context: CommandContext;
  events: ServiceEvents;
  url: string;
  token: string | null;
}): void {
  const what =
    "Other machines can reach this service. Their webhooks need a key, and the API and the pages need a token.";
  if (token === null)
    return events.notice(
      "warn",
      `${what} \`signalbox triggers url <slug>\` prints a URL with a key, \`signalbox keys create --api --scope read\` creates a token.`,
    );
  context.notify(
    `\n${what}\n  URL with a key  signalbox triggers url <slug>\n  API token       ${token}\n  Sign in         ${url}/sign-in\n`,
  );
}

const tokenFileSchema = z.object({ id: z.string(), secret: z.string() });

/** Reuses the token of the last start if it is valid for at least another day, so that browsers stay signed in. */
async function findOrCreateToken(api: ApiClient, { file, now }: { file: string; now: number }): Promise<string> {
  const kept = readTokenFile(file);
  const { data } = await api.request({ path: "/keys", answer: keysAnswer });
  if (kept && data.some((key) => key.id === kept.id && isUsableKey(key, now + dayMs))) return kept.secret;
  const body = {
    kind: "api",
    name: "signalbox dev",
    endpoints: null,
    scope: "admin",
    expiresAt: new Date(now + tokenLifetimeMs).toISOString(),
  };
  const { id, secret } = await api.request({ method: "POST", path: "/keys", body, answer: createdKeyAnswer });
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify({ id, secret })}\n`, { mode: 0o600, flag: "wx" });
  return secret;
}

function readTokenFile(file: string): z.infer<typeof tokenFileSchema> | null {
  try {
    return tokenFileSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}

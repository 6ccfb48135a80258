import { Option } from "commander";
import { z } from "zod";
import { keySchema } from "../../../server/contract/access/key.ts";
import { type Scope, scopes } from "../../../server/contract/access/scope.ts";
import { endpointSchema } from "../../../server/contract/project/endpoint.ts";
import { didYouMean } from "../../../sdk/did-you-mean.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { usageFailure } from "../../terminal/failure.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { collect, parseLifetime } from "../options.ts";
import { triggersAnswer } from "../triggers/trigger-answers.ts";

export const keysAnswer = z.object({ data: z.array(keySchema) });
export const createdKeyAnswer = keySchema.extend({ secret: z.string() });
export const rotatedKeyAnswer = z.object({ key: createdKeyAnswer, old: keySchema });

export function registerKeysCreate(keys: CliCommand, runner: CommandRunner): void {
  keys
    .subcommand("create", "Create a webhook key or an API token", [
      "signalbox keys create --name github --endpoint github/ci --expires 90d",
      "SIGNALBOX_TOKEN=$(signalbox keys create --api --scope read --expires 90d --name ci)",
    ])
    .option("--name <name>", "Name of the key (default: the date)")
    .option("--api", "Create an API token for /api/v1 instead of a webhook key")
    .addOption(
      new Option(
        "--scope <scope>",
        "Scope of an API token, required for one: feed (follows the deliveries), read, operate (also runs) or admin (also keys and people)",
      ).choices(scopes),
    )
    .option("--endpoint <endpoint>", "Limit the key to this endpoint. Repeat the option for several", collect)
    .option("--expires <lifetime>", "Lifetime, e.g. 12h or 90d (default: until revoked)", parseLifetime)
    .action(runner.action(createKey));
}

interface Options {
  name?: string;
  api?: boolean;
  scope?: Scope;
  endpoint?: string[];
  expires?: number;
}

/** Only the key is on stdout, for use in a variable. */
async function createKey(
  context: CommandContext,
  { name, api: isApiToken = false, scope, endpoint: endpoints, expires }: Options,
): Promise<void> {
  rejectContradictions({ isApiToken, scope, endpoints });
  const now = context.now();
  const api = await context.api();
  const body = {
    kind: isApiToken ? "api" : "webhook",
    name: name ?? `created on ${new Date(now).toISOString().slice(0, 10)}`,
    endpoints: endpoints ?? null,
    ...(isApiToken ? { scope } : {}),
    expiresAt: expires === undefined ? null : new Date(now + expires).toISOString(),
  };
  const document = await api.request({ method: "POST", path: "/keys", body, answer: createdKeyAnswer });
  context.print({ document, text: () => `${document.secret}\n` });
  for (const endpoint of endpoints ?? []) await notifyIfUnused(context, api, endpoint);
  if (context.isJson) return;
  context.notify(
    isApiToken
      ? `${document.id}: an API token (${document.scope}). Save it now: it is not shown again.${expires === undefined ? " It is valid until it is revoked: --expires 90d limits that." : ""}`
      : `${document.id}: a webhook key. \`signalbox triggers url <slug>\` shows it in a URL.`,
  );
}

function rejectContradictions({
  isApiToken,
  scope,
  endpoints,
}: {
  isApiToken: boolean;
  scope: Scope | undefined;
  endpoints: string[] | undefined;
}): void {
  if (!isApiToken && scope)
    throw usageFailure(
      "--scope is for API tokens: add --api. A webhook key sends webhooks and reads the runs that it started.",
    );
  if (isApiToken && endpoints)
    throw usageFailure("--api and --endpoint cannot be combined: an API token is valid for the whole API.");
  if (isApiToken && !scope)
    throw usageFailure(
      "An API token needs a scope: add --scope read (reads), operate (also starts and stops runs), admin (also manages keys and people) or feed (follows the deliveries).",
    );
  const bad = endpoints?.find((endpoint) => !endpointSchema.safeParse(endpoint).success);
  if (bad !== undefined)
    throw usageFailure(
      `${JSON.stringify(bad)} is not an endpoint: lower-case letters, digits and single hyphens, in parts joined by /.`,
    );
}

/** A key may precede its trigger, but a misspelled endpoint is more likely. */
async function notifyIfUnused(context: CommandContext, api: ApiClient, endpoint: string): Promise<void> {
  const { data } = await api.request({ path: "/triggers", answer: triggersAnswer });
  const known = data.map((trigger) => trigger.endpoint);
  if (!known.includes(endpoint))
    context.notify(`Note: no trigger listens on ${endpoint}.${didYouMean(endpoint, known)}`);
}

/** Creates a webhook key for all endpoints if the store has none. Returns its id, or `null` if there are keys. */
export async function createFirstKey(api: ApiClient): Promise<string | null> {
  const { data } = await api.request({ path: "/keys", answer: keysAnswer });
  if (data.some(({ kind }) => kind === "webhook")) return null;
  const body = { kind: "webhook", name: "first key", endpoints: null, expiresAt: null };
  return (await api.request({ method: "POST", path: "/keys", body, answer: createdKeyAnswer })).id;
}

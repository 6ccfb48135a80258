import type { Key } from "../../../server/contract/access/key.ts";
import type { DescribedSummary } from "../../../server/contract/delivery.ts";
import type { DriftChange } from "../../../server/contract/drift.ts";
import { errorCodes } from "../../../server/contract/error-codes.ts";
import type { RunSummary } from "../../../server/contract/run.ts";
import { expiresSoon, isForEndpoint, isUsableKey, keyState } from "../../../server/shared/access/keys.ts";
import { nearestName } from "../../../sdk/did-you-mean.ts";
import { formatCount, formatMethods, formatRelativeTime } from "../../../server/shared/format.ts";
import type { Trigger } from "../../../server/triggers/read-triggers.ts";
import { bad, type Check, ok, warn } from "./check.ts";

export interface EndpointFacts {
  /** An endpoint, or the slug of a trigger. */
  asked: string;
  /** All triggers of the project. */
  triggers: readonly Trigger[];
  /** `null`: the client may not list them. */
  keys: readonly Key[] | null;
  needsKey: boolean;
  /** The last deliveries to the endpoint, newest first. */
  deliveries: readonly DescribedSummary[];
  /** The last requests to endpoints that do not exist, newest first. */
  unknown: readonly DescribedSummary[];
  /** The changes of the deliveries to the endpoint in the last 7 days. */
  drift: readonly DriftChange[];
  /** The last runs of the triggers on the endpoint, newest first. */
  runs: readonly RunSummary[];
  now: number;
}

/** The endpoint that was asked for; `null`: the project has none of this name. */
export function findEndpoint({ asked, triggers }: Pick<EndpointFacts, "asked" | "triggers">): string | null {
  const found = triggers.find(({ slug }) => slug === asked) ?? triggers.find(({ endpoint }) => endpoint === asked);
  return found?.endpoint ?? null;
}

/**
 * Follows a webhook from the sender's URL to its runs. The last check is the first broken link, if one is broken: the
 * links behind it depend on it.
 */
export function checkEndpoint(facts: EndpointFacts): Check[] {
  const endpoint = findEndpoint(facts);
  if (endpoint === null) return [missingEndpoint(facts)];
  const on = { ...facts, endpoint, triggers: facts.triggers.filter((trigger) => trigger.endpoint === endpoint) };
  const checks: Check[] = [];
  for (const check of [checkTriggersOn, checkKeysOf, checkSwitches, checkChanges, checkDeliveries, checkRuns]) {
    const found = check(on);
    if (!found) continue;
    checks.push(found);
    if (found.state === "bad") break;
  }
  return checks;
}

type OnEndpoint = EndpointFacts & { endpoint: string };

function missingEndpoint({ asked, triggers }: EndpointFacts): Check {
  const nearest = nearestName(
    asked,
    triggers.flatMap(({ slug, endpoint }) => [endpoint, slug]),
  );
  return bad(
    "endpoint",
    `no trigger listens on ${JSON.stringify(asked)}, so its webhooks get 404`,
    nearest === null
      ? "Correct the endpoint, or add a trigger for it and deploy. `signalbox triggers list` shows all."
      : `Did you mean ${JSON.stringify(nearest)}? \`signalbox triggers url ${nearest}\` prints the URL for the sender.`,
  );
}

function checkTriggersOn({ endpoint, triggers }: OnEndpoint): Check {
  return ok(
    "endpoint",
    `${formatMethods(triggers[0]?.methods ?? [])} /triggers/${endpoint}: ${formatCount(triggers.length, "trigger")}, ${triggers.map(({ slug }) => slug).join(", ")}`,
  );
}

function checkKeysOf({ endpoint, keys, needsKey, now }: OnEndpoint): Check {
  if (!needsKey) return ok("keys", "local development needs none");
  if (keys === null)
    return warn("keys", "this token may not list keys", "Use an API token with the scope admin to check them.");
  const create = `Create one: \`signalbox keys create --name <sender> --endpoint ${endpoint}\`.`;
  const own = keys.filter((key) => isForEndpoint(key, endpoint));
  const usable = own.filter((key) => isUsableKey(key, now));
  if (own.length === 0) return bad("keys", `no key is valid for ${endpoint}, so its webhooks get 401`, create);
  if (usable.length === 0) {
    const states = own.map((key) => `${key.name} (${key.id}) is ${keyState(key, now)}`);
    return bad("keys", `every key for ${endpoint} is invalid, so its webhooks get 401: ${states.join(", ")}`, create);
  }
  const expiring = usable.filter((key) => expiresSoon(key, now));
  return expiring.length < usable.length
    ? ok("keys", `${formatCount(usable.length, "valid key")}: ${usable.map(({ name }) => name).join(", ")}`)
    : warn(
        "keys",
        `every valid key expires within 14 days: ${expiring.map(({ name, id }) => `${name} (${id})`).join(", ")}`,
        "Replace them with `signalbox keys rotate <id>`.",
      );
}

function checkSwitches({ triggers }: OnEndpoint): Check {
  const off = triggers.filter(({ disabled }) => disabled !== null);
  if (off.length === 0) return ok("triggers", "all enabled");
  const list = off.map(({ slug, disabled }) => `${slug}${disabled?.reason ? ` (${disabled.reason})` : ""}`).join(", ");
  const fix = `Enable with \`signalbox triggers enable ${off[0]?.slug ?? "<slug>"}\`.`;
  return off.length === triggers.length
    ? bad("triggers", `all are disabled, so no webhook starts a run: ${list}`, fix)
    : warn("triggers", `disabled: ${list}`, fix);
}

/** The sender sends something else than before, and a trigger rejects it. */
function checkChanges({ endpoint, drift }: OnEndpoint): Check | null {
  const [first] = drift.filter(({ change }) => change === "stopped_matching");
  if (!first) return null;
  return warn("changes", first.text, `\`signalbox triggers drift ${endpoint}\` lists what the sender changed.`);
}

function checkDeliveries(on: OnEndpoint): Check {
  const { endpoint, deliveries, now } = on;
  const [newest] = deliveries;
  if (!newest) return checkStrays(on);
  const good = deliveries.filter(({ outcome }) => outcome === "accepted" || outcome === "repeated");
  const when = `the last one ${formatRelativeTime(newest.receivedAt, now)}`;
  if (good.length === deliveries.length)
    return ok("deliveries", `all of the last ${deliveries.length} accepted, ${when}`);
  const share = `${good.length} of the last ${deliveries.length} accepted`;
  if (newest === good[0]) return ok("deliveries", `${share}, ${when}`);
  const report = good.length > 0 ? warn : bad;
  const { outcome, problem, responseStatus } = newest;
  if (outcome === "rejected" && problem)
    return report(
      "deliveries",
      `${share}; ${when} got ${responseStatus} ${problem.title}: ${problem.detail}`,
      fixOf(problem.code) ?? `\`signalbox deliveries get ${newest.id}\` shows the request.`,
    );
  const why = `${share}; ${when}: ${newest.decision}`;
  return outcome === "held"
    ? report(
        "deliveries",
        why,
        `Fix the trigger and deploy, then \`signalbox deliveries release --endpoint ${endpoint}\`.`,
      )
    : report(
        "deliveries",
        why,
        `\`signalbox deliveries explain ${newest.id}\` shows the verdict of each trigger. After a fix, redeliver it.`,
      );
}

/** No request to the endpoint: the sender may use a similar name. */
function checkStrays({ endpoint, triggers, unknown, now }: OnEndpoint): Check {
  const strays = unknown.filter((delivery) => nearestName(delivery.endpoint, [endpoint]) !== null);
  const [newest] = strays;
  if (newest)
    return bad(
      "deliveries",
      `none yet, but ${formatCount(strays.length, "request")} to /triggers/${newest.endpoint} got 404, the last one ${formatRelativeTime(newest.receivedAt, now)}`,
      `Correct the URL at the sender: \`signalbox triggers url ${endpoint}\` prints it.`,
    );
  return warn(
    "deliveries",
    "none yet: no request with a valid or an invalid key was recorded",
    `Check the URL and the network at the sender, or send one: \`signalbox triggers send ${triggers[0]?.slug ?? endpoint} --data …\`.`,
  );
}

/** Executions of `onFailure` say nothing about the runs of the endpoint, and a failed run with a replay is settled. */
function checkRuns({ runs: all, now }: OnEndpoint): Check {
  const runs = all.filter(({ failureOf }) => failureOf === null);
  const [newest] = runs;
  if (!newest) return ok("runs", "none yet");
  const failed = runs.filter(
    ({ status, replayedAs }) => (status === "failed" || status === "timed_out") && replayedAs === null,
  );
  const waiting = runs.filter(
    ({ status, createdAt }) => status === "queued" && Date.parse(createdAt) < now - queuedTooLongMs,
  );
  if (waiting.length > 0)
    return bad(
      "runs",
      `${formatCount(waiting.length, "run")} queued for more than a minute`,
      "Start the service or a worker. `signalbox doctor` on its machine shows why no worker executes them.",
    );
  if (failed.length === 0) return ok("runs", `no unresolved failure in the last ${runs.length}`);
  const message = `${failed.length} of the last ${runs.length} failed${failed[0]?.error ? `: ${failed[0].error.message}` : ""}`;
  const fix = `\`signalbox runs get ${failed[0]?.id ?? newest.id}\` shows the error.`;
  return failed.length === runs.length ? bad("runs", message, fix) : warn("runs", message, fix);
}

const queuedTooLongMs = 60_000;

function fixOf(code: string): string | null {
  return Object.entries(errorCodes).find(([known]) => known === code)?.[1].fix ?? null;
}

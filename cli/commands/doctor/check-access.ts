import type { StoreContents } from "../../../server/store/shared/store-contents.ts";
import { expiresSoon, isForEndpoint, isUsableKey } from "../../../server/shared/access/keys.ts";
import { findJump } from "../../../server/domain/clock-watch.ts";
import { formatCount, formatDuration, formatUtc } from "../../../server/shared/format.ts";
import {
  type BlockedRuns,
  describeBlockedRuns,
  findBlockedRuns,
  fixBlockedRuns,
  workerSilenceMs,
} from "../../../server/domain/runs/blocked-work.ts";
import { bad, type Check, ok, warn } from "./check.ts";

const aheadMs = 60_000;

export interface AccessContext {
  contents: StoreContents;
  now: number;
  triggers: readonly { slug: string; endpoint: string }[];
  mode: "development" | "deployed";
  /** Deployed, or in development that other machines can reach. */
  needsKeys: boolean;
  isRunning: boolean;
  /** The versions of the builds that this machine keeps. */
  keptVersions: readonly string[];
  /** The targets (`workflow:ship`) whose open runs continue on the current build. */
  latestTargets: ReadonlySet<string>;
  /** Decrypts a stored key; `null` if it was encrypted with another secret. `null` without a secret. */
  openKey: ((ciphertext: string) => string | null) | null;
}

/** Checks of the contents of the store: keys, secret, triggers, people and workers. */
export function checkAccess(context: AccessContext): Check[] {
  const ofContents = [
    checkClock(context),
    ...checkJump(context.contents),
    ...checkKeys(context),
    checkSecret(context),
    checkTriggers(context),
    checkPeople(context),
  ];
  return [...ofContents, checkWorkers(context), ...checkDueRuns(context), ...checkBuilds(context)];
}

function checkClock({ contents, now }: AccessContext): Check {
  const newest = contents.newestDeliveryAt;
  if (newest === null || newest <= now + aheadMs)
    return ok("history", newest === null ? "no deliveries yet" : "no delivery is from the future");
  return bad(
    "history",
    `the newest delivery is from the future: ${formatUtc(new Date(newest).toISOString())}`,
    "Set this machine's clock. It was set back, or it was ahead when the delivery arrived. Retention depends on it.",
  );
}

/** Retention waits, because the clock jumped ahead. */
function checkJump({ clockWatch }: StoreContents): Check[] {
  const jump = clockWatch && findJump(clockWatch);
  if (!jump) return [];
  return [
    warn(
      "retention",
      `nothing is removed: the clock is ${formatDuration(jump.aheadMs)} ahead of the last time that was recorded`,
      `Set this machine's clock. If it is right, because the service was stopped, removal continues after ${formatUtc(new Date(jump.until).toISOString())}.`,
    ),
  ];
}

function checkKeys({ contents, now, needsKeys, triggers }: AccessContext): Check[] {
  const webhookKeys = contents.keys.filter(({ kind }) => kind === "webhook");
  const usable = webhookKeys.filter((key) => isUsableKey(key, now));
  const expiring = contents.keys.filter((key) => expiresSoon(key, now));
  const withoutKey = [...new Set(triggers.map(({ endpoint }) => endpoint))].filter(
    (endpoint) => !usable.some((key) => isForEndpoint(key, endpoint)),
  );
  const create = "Create one with `signalbox keys create`.";
  if (webhookKeys.length === 0)
    return [
      !needsKeys
        ? ok("keys", "no keys yet; local development needs none")
        : warn("keys", "there is no webhook key yet", `The first \`signalbox start\` creates one. ${create}`),
    ];
  const checks: Check[] = [];
  if (usable.length === 0)
    checks.push(bad("keys", "every webhook key is revoked or expired: all webhooks are rejected", create));
  else if (withoutKey.length > 0)
    checks.push(
      bad("keys", `no key is valid for ${withoutKey.join(", ")}`, `${create} \`--endpoint\` sets its endpoints.`),
    );
  if (expiring.length > 0)
    checks.push(
      warn(
        "keys",
        `${expiring.map(({ id, name }) => `${name} (${id})`).join(", ")} expire within 14 days`,
        "Replace them with `signalbox keys rotate <id>`.",
      ),
    );
  return checks.length > 0 ? checks : [ok("keys", describeKeys(usable))];
}

/** Every endpoint has a key. Some keys may be for all endpoints. */
function describeKeys(usable: StoreContents["keys"]): string {
  const forAll = usable.filter(({ endpoints }) => endpoints === null).length;
  if (forAll === usable.length) return `${formatCount(forAll, "webhook key")} for all endpoints`;
  return `every endpoint has a key: ${formatCount(usable.length, "webhook key")}, ${forAll === 0 ? "none" : forAll} for all endpoints`;
}

function checkSecret({ contents, openKey }: AccessContext): Check {
  const sealed = contents.keys.flatMap(({ ciphertext, revokedAt }) =>
    ciphertext === null || revokedAt !== null ? [] : [ciphertext],
  );
  if (sealed.length === 0) return ok("secret", "no stored key is encrypted with it yet");
  if (openKey === null)
    return bad(
      "secret",
      "this machine has no secret, but stored keys are encrypted",
      "Restore the file .signalbox/secret, or set SIGNALBOX_SECRET to its previous value.",
    );
  const lost = sealed.filter((ciphertext) => openKey(ciphertext) === null).length;
  if (lost === 0) return ok("secret", "decrypts every stored key");
  return bad(
    "secret",
    `does not decrypt ${lost} of ${formatCount(sealed.length, "stored key")}; they work, but cannot be shown`,
    "Set the secret that they were created with, or rotate them.",
  );
}

function checkTriggers({ contents, triggers }: AccessContext): Check {
  const disabled = contents.disabledTriggers.filter((slug) => triggers.some((trigger) => trigger.slug === slug));
  if (disabled.length === 0) return ok("triggers", `${formatCount(triggers.length, "trigger")}, none disabled`);
  return warn(
    "triggers",
    `disabled: ${disabled.join(", ")}`,
    "Enable a trigger with `signalbox triggers enable <slug>`.",
  );
}

function checkPeople({ contents, mode }: AccessContext): Check {
  if (contents.admins > 0)
    return ok("people", `${formatCount(contents.people, "account")}, ${formatCount(contents.admins, "admin")}`);
  if (contents.people > 0)
    return bad("people", "there is no admin", "Create a link for one with `signalbox people invite --role admin`.");
  return mode === "development"
    ? ok("people", "no accounts; development needs none")
    : warn(
        "people",
        "there are no accounts yet",
        "Create a link for the first admin with `signalbox people setup-link`.",
      );
}

function checkWorkers({ contents, now, isRunning }: AccessContext): Check {
  const alive = contents.workers.filter(({ seenAt }) => seenAt > now - workerSilenceMs).length;
  if (!isRunning) return ok("workers", "the service is not running on this machine");
  return alive > 0
    ? ok("workers", `${alive} alive`)
    : bad(
        "workers",
        "the service is running without a live worker: no run is executed",
        "The log of the service has the reason.",
      );
}

/** Runs that wait for a service that is not running are no problem of its workers. */
function checkDueRuns({ contents, now, isRunning }: AccessContext): Check[] {
  const { due, workers } = contents;
  const blocked = findBlockedRuns({ due, workers, now });
  const isExpected = ({ reason }: BlockedRuns) => reason === "no_worker" && !isRunning;
  const checks = blocked
    .filter((runs) => !isExpected(runs))
    .map((runs) =>
      (runs.reason === "busy" ? warn : bad)("due runs", trimPeriod(describeBlockedRuns(runs)), fixBlockedRuns(runs)),
    );
  if (checks.length > 0) return checks;
  const runs = due.reduce((sum, group) => sum + group.runs, 0);
  return [ok("due runs", runs === 0 ? "none wait for a worker" : `${formatCount(runs, "run")} about to start`)];
}

/** Open runs whose build no machine has continue on the newest one, where steps can run again. */
function checkBuilds({ contents, now, keptVersions, latestTargets }: AccessContext): Check[] {
  const alive = contents.workers.filter(({ seenAt }) => seenAt > now - workerSilenceMs);
  const known = new Set([
    ...keptVersions,
    ...alive.flatMap(({ version, keptVersions: kept }) => [version, ...(kept ?? [])]),
  ]);
  const pinned = contents.openRuns.filter(({ target }) => !latestTargets.has(target));
  const lost = Map.groupBy(
    pinned.filter(({ version }) => !known.has(version)),
    ({ version }) => version,
  );
  if (lost.size === 0) return pinned.length === 0 ? [] : [ok("builds", "the build of every open run is kept")];
  return [...lost].map(([version, groups]) => {
    const runs = groups.reduce((sum, group) => sum + group.runs, 0);
    return warn(
      "builds",
      `${formatCount(runs, "open run")} of build ${version}, which neither this machine nor a live worker has: ${runs === 1 ? "it continues" : "they continue"} on the newest build`,
      "Copy the build back to .signalbox/builds. In containers, set SIGNALBOX_BUILDS_DIR to a folder on a volume.",
    );
  });
}

/** Checks are parts of a line. */
const trimPeriod = (text: string) => text.replace(/\.$/, "");

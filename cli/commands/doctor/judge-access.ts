import type { StoreContents } from "../../../server/store/shared/store-contents.ts";
import { plural } from "../text-events.ts";
import { bad, type Check, ok, warn } from "./check.ts";

const soonMs = 14 * 86_400_000;
const workerAliveMs = 15_000;
const aheadMs = 60_000;

export interface AccessContext {
  contents: StoreContents;
  now: number;
  triggers: readonly { slug: string; endpoint: string }[];
  mode: "development" | "deployed";
  /** Deployed, and in development that others can reach. */
  needsKeys: boolean;
  isRunning: boolean;
  /** `null`: sealed under another secret, or there is none. */
  openKey: ((ciphertext: string) => string | null) | null;
}

/** Of what the store has: who and what may come in, and who works. */
export function judgeAccess(p: AccessContext): Check[] {
  return [judgeClock(p), ...judgeKeys(p), judgeSecret(p), judgeTriggers(p), judgePeople(p), judgeWorkers(p)];
}

function judgeClock({ contents, now }: AccessContext): Check {
  const newest = contents.newestDeliveryAt;
  if (newest === null || newest <= now + aheadMs)
    return ok("history", newest === null ? "no delivery yet" : "no delivery is of the future");
  return bad(
    "history",
    `the newest delivery is of ${new Date(newest).toISOString()}, which is yet to come`,
    "Set this machine's clock: it was set back, or was ahead when that came. Retention goes by it.",
  );
}

function isUsable(key: StoreContents["keys"][number], now: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}

function judgeKeys({ contents, now, needsKeys, triggers }: AccessContext): Check[] {
  const webhookKeys = contents.keys.filter(({ kind }) => kind === "webhook");
  const usable = webhookKeys.filter((key) => isUsable(key, now));
  const ending = contents.keys.filter(
    (key) => isUsable(key, now) && key.expiresAt !== null && key.expiresAt < now + soonMs,
  );
  const closed = [...new Set(triggers.map(({ endpoint }) => endpoint))].filter(
    (endpoint) => !usable.some(({ endpoints }) => endpoints === null || endpoints.includes(endpoint)),
  );
  const create = "`signalbox keys create` makes one.";
  if (webhookKeys.length === 0)
    return [
      !needsKeys
        ? ok("keys", "none yet; development on this machine needs none")
        : warn("keys", "there is no webhook key yet", `The first \`signalbox start\` makes one; ${create}`),
    ];
  const checks: Check[] = [];
  if (usable.length === 0)
    checks.push(bad("keys", "every webhook key is revoked or has expired: no webhook gets in", create));
  else if (closed.length > 0)
    checks.push(bad("keys", `no key opens ${closed.join(", ")}`, `${create} \`--endpoint\` names what it opens.`));
  if (ending.length > 0)
    checks.push(
      warn(
        "keys",
        `${ending.map(({ id, name }) => `${name} (${id})`).join(", ")} end within 14 days`,
        "`signalbox keys rotate <id>` makes a new one beside the old.",
      ),
    );
  return checks.length > 0 ? checks : [ok("keys", describeKeys(usable))];
}

/** Each endpoint has a key; few keys may be for all of them. */
function describeKeys(usable: StoreContents["keys"]): string {
  const forAll = usable.filter(({ endpoints }) => endpoints === null).length;
  if (forAll === usable.length) return `${plural(forAll, "webhook key")} for all endpoints`;
  return `every endpoint has a key: ${plural(usable.length, "webhook key")}, ${forAll === 0 ? "none" : forAll} for all endpoints`;
}

function judgeSecret({ contents, openKey }: AccessContext): Check {
  const sealed = contents.keys.flatMap(({ ciphertext, revokedAt }) =>
    ciphertext === null || revokedAt !== null ? [] : [ciphertext],
  );
  if (sealed.length === 0) return ok("secret", "nothing is sealed with it yet");
  if (openKey === null)
    return bad(
      "secret",
      "there is none here, and stored keys are sealed with one",
      "Put the file .signalbox/secret back, or set SIGNALBOX_SECRET as it was.",
    );
  const lost = sealed.filter((ciphertext) => openKey(ciphertext) === null).length;
  if (lost === 0) return ok("secret", "opens every stored key");
  return bad(
    "secret",
    `does not open ${lost} of ${sealed.length} stored keys; they work, but cannot be shown`,
    "Set the secret that they were made with, or rotate them.",
  );
}

function judgeTriggers({ contents, triggers }: AccessContext): Check {
  const off = contents.disabledTriggers.filter((slug) => triggers.some((trigger) => trigger.slug === slug));
  if (off.length === 0) return ok("triggers", `${triggers.length} declared, none is switched off`);
  return warn("triggers", `${off.join(", ")}: switched off`, "`signalbox triggers enable <slug>` switches one on.");
}

function judgePeople({ contents, mode }: AccessContext): Check {
  if (contents.admins > 0) return ok("people", `${contents.people} may sign in, ${contents.admins} as admin`);
  if (contents.people > 0)
    return bad("people", "nobody is an admin", "`signalbox people invite --role admin` makes a link that lets one in.");
  return mode === "development"
    ? ok("people", "there are no accounts; development needs none")
    : warn("people", "there are no accounts yet", "`signalbox people setup-link` lets the first admin in.");
}

function judgeWorkers({ contents, now, isRunning }: AccessContext): Check {
  const alive = contents.lastSeenWorkers.filter((at) => at > now - workerAliveMs).length;
  if (!isRunning) return ok("workers", "the service does not run here");
  return alive > 0
    ? ok("workers", `${alive} alive`)
    : bad(
        "workers",
        "the service runs, and no worker is alive: nothing is carried out",
        "Its log says why they do not start.",
      );
}

import { AppError } from "../../contract/app-error.ts";
import type { SessionRow } from "../../contract/access/person.ts";
import type { Clock } from "../../ports/clock.ts";
import type { PeopleStore } from "../../ports/store/people-store.ts";
import { type AuditContext, auditOf } from "../access/audit-context.ts";

/** The sessions of a person, or of all people (`personId: null`). */
export async function listSessions(
  deps: { store: Pick<PeopleStore, "listSessions">; clock: Clock },
  personId: string | null,
): Promise<SessionRow[]> {
  const sessions = await deps.store.listSessions(personId, deps.clock.now());
  return sessions.map((session) => ({ ...session, device: deviceName(session.userAgent) }));
}

/** Ends a session of this person, or of any person (`personId: null`). Throws AppError `not_found`. */
export async function endSession(
  deps: { store: Pick<PeopleStore, "endSession" | "listSessions">; clock: Clock },
  { id, personId }: { id: string; personId: string | null },
  auditContext: AuditContext,
): Promise<void> {
  const now = deps.clock.now();
  const audit = auditOf(auditContext, { action: "session.ended", subject: id, detail: await describe(), now });
  if (!(await deps.store.endSession({ id, personId, audit })))
    throw new AppError("not_found", "This session has already ended.");

  /** The audit log names the person only if it is another one. */
  async function describe(): Promise<{ person: string | null } | null> {
    if (personId !== null) return null;
    const session = (await deps.store.listSessions(null, now)).find((one) => one.id === id);
    return { person: session?.personId ?? null };
  }
}

const browsers = [
  ["Firefox", /firefox\//i],
  ["Edge", /edg\//i],
  ["Chrome", /chrom(e|ium)\//i],
  ["Safari", /safari\//i],
] as const;

const systems = [
  ["Android", /android/i],
  ["iOS", /iphone|ipad/i],
  ["macOS", /mac os/i],
  ["Windows", /windows/i],
  ["Linux", /linux/i],
] as const;

/** A readable name of a browser: "Firefox on Linux". */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null) return "Unknown device";
  const find = (table: readonly (readonly [string, RegExp])[]) =>
    table.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const [browser, system] = [find(browsers), find(systems)];
  if (browser === undefined) return userAgent.slice(0, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
}

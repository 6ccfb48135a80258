import type { Role } from "../../contract/access/person.ts";

/** The last admin cannot be removed or demoted: nothing is changed. */
export type PersonChange = "changed" | "unknown" | "last-admin";

/**
 * Whether a person may get the role `to`, or be removed (`to: null`): one admin must remain. `people` has the person
 * and at least all admins.
 */
export function checkChange(
  people: readonly { id: string; role: Role }[],
  { id, to }: { id: string; to: Role | null },
): PersonChange {
  const person = people.find((one) => one.id === id);
  if (!person) return "unknown";
  const hasOtherAdmin = people.some((one) => one.role === "admin" && one.id !== id);
  return person.role === "admin" && to !== "admin" && !hasOtherAdmin ? "last-admin" : "changed";
}

import { expect, it } from "vitest";
import { invitationSchema } from "../../contract/access/person.ts";
import { canJoin, isUsableLink, personToReset } from "./invitations.ts";

const kinds = invitationSchema.shape.kind.options;

it("a link can be used until it was used, is revoked or expires", () => {
  const open = { acceptedAt: null, revokedAt: null, expiresAt: 10 };
  expect(isUsableLink(open, 9)).toBe(true);
  expect(isUsableLink(open, 10)).toBe(false);
  expect(isUsableLink({ ...open, acceptedAt: 1 }, 9)).toBe(false);
  expect(isUsableLink({ ...open, revokedAt: 1 }, 9)).toBe(false);
});

it("every kind of link either creates an account or sets a password", () => {
  expect(kinds.filter((kind) => canJoin({ kind }))).toEqual(["setup", "invitation"]);
  expect(kinds.filter((kind) => personToReset({ kind, personId: "per_1" }) !== null)).toEqual(["reset"]);
  expect(personToReset({ kind: "reset", personId: "per_1" })).toBe("per_1");
});

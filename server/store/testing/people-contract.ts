import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditAction } from "../../contract/access/audit-actions.ts";
import type { Role } from "../../contract/access/person.ts";
import { newId } from "../../domain/ids.ts";
import type { NewAuditEntry } from "../../ports/store/people-store.ts";
import type { Store } from "../../ports/store.ts";
import { aKey, epoch, type OpenStore } from "./factories.ts";

const dayMs = 86_400_000;

function anAudit(action: AuditAction, given: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    id: newId("aud"),
    at: epoch,
    action,
    actor: { kind: "machine", id: null, name: null },
    subject: null,
    address: null,
    detail: null,
    ...given,
  };
}

/** The tests of people, invitations and the audit log that every store passes. */
export function peopleContract(open: OpenStore): void {
  describe("people", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const invite = (
      hash: string,
      role: Role = "viewer",
      given: {
        kind?: "setup" | "invitation" | "reset";
        expiresAt?: number;
        createdById?: string;
        personId?: string;
      } = {},
    ) =>
      store.createInvitation({
        invitation: {
          id: `inv_${hash}`,
          kind: "invitation",
          hash,
          role,
          note: "for Ada",
          createdBy: "Grace",
          createdById: null,
          personId: null,
          createdAt: epoch,
          expiresAt: epoch + dayMs,
          ...given,
        },
        audit: anAudit("invitation.created", { subject: `inv_${hash}` }),
      });
    const accept = (hash: string, id: string, given: { email?: string; now?: number } = {}) =>
      store.acceptInvitation({
        hash,
        person: {
          id,
          name: `Name of ${id}`,
          email: given.email ?? `${id}@example.com`,
          accountId: `acc_${id}`,
          passwordHash: "salt:hash",
        },
        now: given.now ?? epoch + 1000,
        audit: anAudit("person.joined", { subject: id }),
      });
    const remove = (id: string) =>
      store.removePerson({
        id,
        now: epoch + 2000,
        audit: anAudit("person.removed", { subject: id }),
        auditToken: (keyId) => anAudit("key.revoked", { subject: keyId }),
      });
    const change = (id: string, role: Role) =>
      store.changeRole({ id, role, now: epoch, audit: anAudit("person.role-changed") });
    const join = async (id: string, role: Role) => {
      await invite(`hash of ${id}`, role);
      expect(await accept(`hash of ${id}`, id)).toBe("joined");
    };
    const signIn = (personId: string, id: string) =>
      store.insertRow("session", {
        id,
        userId: personId,
        token: `token of ${id}`,
        expiresAt: new Date(epoch + dayMs),
        createdAt: new Date(epoch),
        updatedAt: new Date(epoch),
        ipAddress: "192.0.2.1",
        userAgent: "test",
      });
    const actions = async () =>
      (await store.listAudit({}, { limit: 100, cursor: null })).data.map(({ action }) => action);

    it("one person joins with an invitation, with its role", async () => {
      await invite("h", "operator");
      expect(await accept("h", "per_1")).toBe("joined");
      expect(await accept("h", "per_2")).toBe("unusable");
      expect(await store.listPeople(epoch)).toEqual([
        {
          id: "per_1",
          name: "Name of per_1",
          email: "per_1@example.com",
          role: "operator",
          createdAt: "2026-01-01T00:00:01.000Z",
          lastSeenAt: null,
        },
      ]);
      expect(await store.findPasswordHash("per_1")).toBe("salt:hash");
    });

    it("a removed person is one by address and by account, until an invitation with the address is accepted", async () => {
      await join("per_1", "admin");
      await join("per_2", "admin");
      await store.insertRow("account", {
        id: "acc_oidc",
        userId: "per_2",
        accountId: "sub 2",
        providerId: "oidc",
        createdAt: new Date(epoch),
        updatedAt: new Date(epoch),
      });
      const isRemoved = (email: string, accountId: string | null, providerId = "oidc") =>
        store.isRemovedPerson({ email, providerId, accountId });
      expect(await isRemoved("per_2@example.com", "sub 2")).toBe(false);
      expect(await remove("per_2")).toBe("changed");
      const cases = () =>
        Promise.all([
          isRemoved("Per_2@example.com", null),
          isRemoved("other@example.com", "sub 2"),
          isRemoved("other@example.com", "sub 2", "another"),
          isRemoved("per_1@example.com", "sub 1"),
        ]);
      expect(await cases()).toEqual([true, true, false, false]);
      await invite("again");
      expect(await accept("again", "per_3", { email: "Per_2@example.com" })).toBe("joined");
      expect(await cases()).toEqual([false, false, false, false]);
    });

    it("if several people accept one invitation at the same time, one joins", async () => {
      await invite("h");
      const outcomes = await Promise.all(["per_1", "per_2", "per_3"].map((id) => accept("h", id)));
      expect(outcomes.toSorted()).toEqual(["joined", "unusable", "unusable"]);
      expect(await store.countPeople()).toBe(1);
    });

    it("an expired, revoked or unknown invitation is not accepted", async () => {
      await invite("expired");
      await invite("withdrawn");
      expect(
        await store.revokeInvitation({ id: "inv_withdrawn", now: epoch, audit: anAudit("invitation.revoked") }),
      ).toBe(true);
      expect(
        await store.revokeInvitation({ id: "inv_withdrawn", now: epoch, audit: anAudit("invitation.revoked") }),
      ).toBe(false);
      expect(await accept("expired", "per_1", { now: epoch + dayMs })).toBe("unusable");
      expect(await accept("withdrawn", "per_1")).toBe("unusable");
      expect(await accept("unknown", "per_1")).toBe("unusable");
      expect((await store.listInvitations(epoch)).map(({ id }) => id)).toEqual(["inv_expired"]);
      expect(await store.countPeople()).toBe(0);
    });

    it("the list of invitations has exactly those that can still be used", async () => {
      for (const hash of ["open", "accepted", "revoked", "replaced", "other"])
        await invite(hash, "viewer", { kind: hash === "replaced" ? "setup" : "invitation" });
      await invite("setup", "admin", { kind: "setup", expiresAt: epoch + 5000 });
      await accept("accepted", "per_1");
      await store.revokeInvitation({ id: "inv_revoked", now: epoch, audit: anAudit("invitation.revoked") });
      const hashes = ["open", "accepted", "revoked", "replaced", "other", "setup"];
      for (const [now, expected] of [
        [epoch + 4999, ["open", "other", "setup"]],
        [epoch + 5000, ["open", "other"]],
        [epoch + dayMs, []],
      ] as const) {
        const usable = await Promise.all(hashes.map((hash) => store.findInvitation(hash, now)));
        const ids = expected.map((hash) => `inv_${hash}`);
        expect(usable.flatMap((link) => (link ? [link.id] : [])).toSorted()).toEqual(ids);
        expect((await store.listInvitations(now)).map(({ id }) => id).toSorted()).toEqual(ids);
      }
    });

    it("an address that already has an account does not consume the invitation", async () => {
      await join("per_1", "admin");
      await invite("h");
      expect(await accept("h", "per_2", { email: "per_1@example.com" })).toBe("email-taken");
      expect(await accept("h", "per_2")).toBe("joined");
    });

    it("a setup link revokes earlier setup links, but no invitation", async () => {
      await invite("first", "admin", { kind: "setup" });
      await invite("other");
      await invite("second", "admin", { kind: "setup" });
      expect(await store.findInvitation("first", epoch)).toBeNull();
      expect(await store.findInvitation("second", epoch)).toMatchObject({ kind: "setup", role: "admin" });
      expect(await store.findInvitation("other", epoch)).not.toBeNull();
    });

    const reset = (hash: string, now = epoch + 1000) =>
      store.resetPassword({ hash, passwordHash: "new", now, audit: anAudit("person.password-reset") });

    it("a reset link sets the password of its person once, and ends all sessions of this person only", async () => {
      await join("per_1", "admin");
      await join("per_2", "viewer");
      for (const id of ["per_1", "per_2"]) await signIn(id, `ses of ${id}`);
      await invite("h", "viewer", { kind: "reset", personId: "per_2" });
      expect(await accept("h", "per_3")).toBe("unusable");
      expect(await Promise.all([reset("h"), reset("h")])).toEqual([true, false]);
      expect([await store.findPasswordHash("per_1"), await store.findPasswordHash("per_2")]).toEqual([
        "salt:hash",
        "new",
      ]);
      expect((await store.listSessions(null, epoch)).map(({ personId }) => personId)).toEqual(["per_1"]);
      expect(await store.listPeople(epoch)).toMatchObject([{ role: "admin" }, { role: "viewer" }]);
      expect((await actions()).filter((action) => action === "person.password-reset")).toHaveLength(1);
    });

    it("a reset link sets no password if it has expired, was replaced, its person was removed, or it is another kind of link", async () => {
      for (const id of ["per_1", "per_2", "per_3"]) await join(id, "admin");
      await invite("first", "admin", { kind: "reset", personId: "per_1" });
      await invite("other's", "admin", { kind: "reset", personId: "per_2" });
      await invite("second", "admin", { kind: "reset", personId: "per_1" });
      await invite("of who goes", "admin", { kind: "reset", personId: "per_3" });
      await invite("invitation");
      await remove("per_3");
      for (const hash of ["first", "of who goes", "invitation", "unknown"]) expect(await reset(hash), hash).toBe(false);
      expect(await reset("second", epoch + dayMs)).toBe(false);
      expect([await reset("second"), await reset("other's")]).toEqual([true, true]);
      expect(await store.findInvitation("invitation", epoch)).not.toBeNull();
    });

    it("removing a person revokes their tokens and the links that they created, and no others", async () => {
      for (const id of ["per_1", "per_2"]) await join(id, "admin");
      for (const [id, ownerId] of [
        ["key_a", "per_2"],
        ["key_b", "per_2"],
        ["key_c", "per_1"],
        ["key_d", null],
      ] as const)
        await store.createKey(aKey({ id, hash: id, kind: "api", ownerId }));
      await store.revokeKey("key_b", epoch + 5);
      await invite("by who goes", "admin", { createdById: "per_2" });
      await invite("by who stays", "admin", { createdById: "per_1" });
      expect(await remove("per_2")).toBe("changed");
      expect((await store.listKeys()).map(({ id, revokedAt }) => [id, revokedAt]).toSorted()).toEqual([
        ["key_a", "2026-01-01T00:00:02.000Z"],
        ["key_b", "2026-01-01T00:00:00.005Z"],
        ["key_c", null],
        ["key_d", null],
      ]);
      expect((await store.listInvitations(epoch)).map(({ id }) => id)).toEqual(["inv_by who stays"]);
      expect(
        (await store.listAudit({ action: "key.revoked" }, { limit: 10, cursor: null })).data.map(
          ({ subject }) => subject,
        ),
      ).toEqual(["key_a"]);
      expect([await store.findRole("per_1"), await store.findRole("per_2")]).toEqual(["admin", null]);
    });

    it("tokens stay valid if the audit entry of the removal cannot be written", async () => {
      for (const id of ["per_1", "per_2"]) await join(id, "admin");
      await store.createKey(aKey({ id: "key_a", kind: "api", ownerId: "per_2" }));
      const taken = anAudit("key.revoked");
      await store.recordAudit(taken);
      await expect(
        store.removePerson({ id: "per_2", now: epoch, audit: anAudit("person.removed"), auditToken: () => taken }),
      ).rejects.toThrow(/unique/i);
      expect([await store.findRole("per_2"), (await store.listKeys())[0]?.revokedAt]).toEqual(["admin", null]);
    });

    it("the links of a person who is no longer an admin are revoked", async () => {
      for (const id of ["per_1", "per_2"]) await join(id, "admin");
      await invite("by per_2", "admin", { createdById: "per_2" });
      await change("per_2", "admin");
      expect(await store.findInvitation("by per_2", epoch)).not.toBeNull();
      await change("per_2", "operator");
      expect(await store.findInvitation("by per_2", epoch)).toBeNull();
    });

    it("a session is valid until it expires, is ended, or its person is removed", async () => {
      await join("per_1", "admin");
      await join("per_2", "viewer");
      await signIn("per_2", "ses_1");
      await signIn("per_2", "ses_2");
      expect(await store.findSession("token of ses_1", epoch)).toMatchObject({
        session: { id: "ses_1", address: "192.0.2.1" },
        person: { id: "per_2", role: "viewer" },
      });
      expect(await store.findSession("token of ses_1", epoch + dayMs)).toBeNull();
      const audit = anAudit("session.ended");
      expect(await store.endSession({ id: "ses_1", personId: "per_1", audit })).toBe(false);
      expect(await store.endSession({ id: "ses_1", personId: "per_2", audit })).toBe(true);
      expect(await store.findSession("token of ses_1", epoch)).toBeNull();
      expect((await store.listSessions(null, epoch)).map(({ id }) => id)).toEqual(["ses_2"]);
      await remove("per_2");
      expect(await store.findSession("token of ses_2", epoch)).toBeNull();
    });

    it("the last admin can be neither removed nor demoted", async () => {
      await join("per_1", "admin");
      await join("per_2", "viewer");
      expect(await remove("per_1")).toBe("last-admin");
      expect(await change("per_1", "operator")).toBe("last-admin");
      expect(await change("per_9", "admin")).toBe("unknown");
      expect(await change("per_2", "admin")).toBe("changed");
      // Both at the same time: one admin stays.
      expect((await Promise.all(["per_1", "per_2"].map((id) => remove(id)))).toSorted()).toEqual([
        "changed",
        "last-admin",
      ]);
    });

    it("a new password ends all other sessions of the person", async () => {
      await join("per_1", "admin");
      for (const id of ["ses_1", "ses_2"]) await signIn("per_1", id);
      expect(
        await store.changePassword({
          personId: "per_1",
          passwordHash: "new",
          keepSession: "ses_2",
          now: epoch,
          audit: anAudit("person.password-changed"),
        }),
      ).toBe(true);
      expect((await store.listSessions("per_1", epoch)).map(({ id }) => id)).toEqual(["ses_2"]);
      expect(await store.findPasswordHash("per_1")).toBe("new");
    });

    it("a change is in the audit log if, and only if, it was made", async () => {
      await join("per_1", "admin");
      await accept("unknown", "per_2");
      await remove("per_1");
      expect(await actions()).toEqual(["person.joined", "invitation.created"]);
      // A change whose entry cannot be written is rolled back.
      const taken = anAudit("invitation.created");
      await store.recordAudit(taken);
      await expect(
        store.createInvitation({
          invitation: {
            id: "inv_x",
            kind: "invitation",
            hash: "x",
            role: "admin",
            note: "",
            createdBy: "",
            createdById: null,
            personId: null,
            createdAt: epoch,
            expiresAt: epoch + dayMs,
          },
          audit: taken,
        }),
      ).rejects.toThrow(/unique/i);
      expect(await store.findInvitation("x", epoch)).toBeNull();
    });

    it("lists the audit log newest first, page by page, by action, actor and time", async () => {
      for (let at = 0; at < 5; at++)
        await store.recordAudit(
          anAudit(at % 2 ? "run.started" : "key.shown", {
            id: `aud_${at}`,
            at: epoch + at,
            actor: { kind: "person", id: `per_${at}`, name: "Ada" },
            detail: { n: at },
          }),
        );
      const first = await store.listAudit({}, { limit: 3, cursor: null });
      const second = await store.listAudit({}, { limit: 3, cursor: first.nextCursor });
      expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([
        "aud_4",
        "aud_3",
        "aud_2",
        "aud_1",
        "aud_0",
      ]);
      expect(second.nextCursor).toBeNull();
      expect(first.data[0]).toEqual({
        id: "aud_4",
        at: "2026-01-01T00:00:00.004Z",
        action: "key.shown",
        actor: { kind: "person", id: "per_4", name: "Ada" },
        subject: null,
        address: null,
        detail: { n: 4 },
      });
      const ids = async (filter: Parameters<Store["listAudit"]>[0]) =>
        (await store.listAudit(filter, { limit: 10, cursor: null })).data.map(({ id }) => id);
      expect(await ids({ action: "run.started" })).toEqual(["aud_3", "aud_1"]);
      expect(await ids({ actorId: "per_2" })).toEqual(["aud_2"]);
      expect(await ids({ since: epoch + 1, until: epoch + 3 })).toEqual(["aud_2", "aud_1"]);
    });
  });
}

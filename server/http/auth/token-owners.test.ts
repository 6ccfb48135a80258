import { unknownClient } from "../../auth/access/principal.ts";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createInvitation } from "../../auth/people/invitations.ts";
import { machineContext } from "../../auth/access/audit-context.ts";
import type { Json } from "../../contract/json.ts";
import type { Role } from "../../contract/access/person.ts";
import { createTrpc } from "../../trpc/create-trpc.ts";
import { createAuthHandler } from "./auth-handler.ts";
import { createdKey } from "../rest/schemas.ts";
import { bearer, makeKey, openTestService } from "../rest/testing/test-service.ts";

const password = "correct horse battery";
/** The library counts attempts to sign in for all services of a process. */
let addresses = 0;
const rotated = z.object({ key: createdKey });

/** A deployed service with sign-in, tRPC and REST, and people who have signed in. */
async function open() {
  const service = await openTestService({ mode: "deployed" });
  const { deps, state, store } = service;
  // The library for sessions uses the machine's clock.
  state.now = Date.now();
  const handle = createAuthHandler({ ...deps, mode: "deployed", hasProvider: false, isSecure: false, ownHost: null });
  const trpc = createTrpc({ ...deps, name: "my project", news: store });
  const address = `203.0.113.${++addresses}`;
  const json = { "content-type": "application/json" };
  async function join(name: string, role: Role) {
    const token = (await createInvitation(deps, { kind: "invitation", role, note: "" }, machineContext)).url
      .split("/")
      .at(-1);
    const body = JSON.stringify({ token, name, email: `${name}@example.com`, password });
    const answer = await handle(
      new Request("http://localhost:3000/api/auth/join", { method: "POST", headers: json, body }),
      { ...unknownClient, address },
    );
    const cookie = (answer.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
    const id = (await store.listPeople(state.now)).find((person) => person.name === name)?.id ?? "";
    const act = async (path: string, input: Json) =>
      (
        await trpc.handle(
          new Request(`http://localhost:3002/api/trpc/${path}`, {
            method: "POST",
            headers: { ...json, cookie },
            body: JSON.stringify(input),
          }),
        )
      ).status;
    const makeToken = async (scope: string) =>
      createdKey.parse(
        (await service.post("/api/v1/keys", { kind: "api", name: `${name}'s ${scope}`, scope }, { cookie })).json,
      );
    return { id, act, makeToken, cookie };
  }
  const statusOf = async (secret: string) => (await service.get("/api/v1/runs", bearer(secret))).status;
  const keysOf = (headers: Record<string, string>) => service.get("/api/v1/keys", headers);
  return { service, join, statusOf, keysOf };
}

describe("an API token", () => {
  it("is rejected as soon as its creator is removed, with an entry in the audit log; webhook keys and other tokens stay", async () => {
    const { service, join, statusOf } = await open();
    const [grace, ada] = [await join("grace", "admin"), await join("ada", "admin")];
    const tokens = [await ada.makeToken("read"), await ada.makeToken("admin")];
    // Made by a token: it is of the same person.
    const grandchild = createdKey.parse(
      (
        await service.post(
          "/api/v1/keys",
          { kind: "api", name: "made by a token", scope: "read" },
          bearer(tokens[1]?.secret ?? ""),
        )
      ).json,
    );
    const kept = [await grace.makeToken("read"), await makeKey(service, { kind: "api", scope: "read" })];
    const webhookKey = createdKey.parse(
      (await service.post("/api/v1/keys", { kind: "webhook", name: "github" }, { cookie: ada.cookie })).json,
    );
    expect([tokens[0]?.ownerId, grandchild.ownerId, kept[1]?.ownerId, webhookKey.ownerId]).toEqual([
      ada.id,
      ada.id,
      null,
      null,
    ]);
    for (const { secret } of [...tokens, grandchild, ...kept]) expect(await statusOf(secret)).toBe(200);

    expect(await grace.act("people.remove", { id: ada.id })).toBe(200);
    for (const { secret } of [...tokens, grandchild]) expect(await statusOf(secret)).toBe(401);
    for (const { secret } of kept) expect(await statusOf(secret)).toBe(200);
    expect((await service.store.listKeys()).find(({ id }) => id === webhookKey.id)?.revokedAt).toBeNull();
    const { data } = await service.store.listAudit({ action: "key.revoked" }, { limit: 10, cursor: null });
    expect(data.map(({ subject }) => subject).toSorted()).toEqual(
      [...tokens, grandchild].map(({ id }) => id).toSorted(),
    );
    expect(data[0]).toMatchObject({
      actor: { name: "grace" },
      address: null,
      detail: { because: "person.removed", person: ada.id },
    });
  });

  it("is limited to the current role of its creator, and regains its scope with the role", async () => {
    const { service, join, statusOf, keysOf } = await open();
    const [grace, ada] = [await join("grace", "admin"), await join("ada", "admin")];
    const token = bearer((await ada.makeToken("admin")).secret);
    const replay = async () => (await service.post("/api/v1/runs/run_unknown/replay", undefined, token)).status;
    expect([(await keysOf(token)).status, await replay()]).toEqual([200, 404]);
    expect(await grace.act("people.changeRole", { id: ada.id, role: "operator" })).toBe(200);
    const rejected = await keysOf(token);
    expect([rejected.status, rejected.text, await replay()]).toEqual([
      403,
      expect.stringContaining("creator of this API token now has the role operator"),
      404,
    ]);
    expect(await grace.act("people.changeRole", { id: ada.id, role: "viewer" })).toBe(200);
    expect([(await keysOf(token)).status, await replay(), await statusOf(token.authorization.slice(7))]).toEqual([
      403, 403, 200,
    ]);
    expect(await grace.act("people.changeRole", { id: ada.id, role: "admin" })).toBe(200);
    expect((await keysOf(token)).status).toBe(200);
  });

  it("never gets more than its granted scope when its owner's role rises", async () => {
    const { join, keysOf } = await open();
    const ada = await join("ada", "admin");
    expect((await keysOf(bearer((await ada.makeToken("operate")).secret))).status).toBe(403);
  });

  it("belongs to the person who rotated it; rotated on the machine, it keeps its owner", async () => {
    const { service, join, statusOf } = await open();
    const [grace, ada] = [await join("grace", "admin"), await join("ada", "admin")];
    const [first, second] = [await grace.makeToken("read"), await ada.makeToken("read")];
    const rotate = async (id: string, headers: Record<string, string>) =>
      rotated.parse((await service.post(`/api/v1/keys/${id}/rotate`, { overlapSeconds: 0 }, headers)).json).key;
    const taken = await rotate(first.id, { cookie: ada.cookie });
    const left = await rotate(second.id, bearer((await makeKey(service, { kind: "api" })).secret));
    expect([taken.ownerId, left.ownerId]).toEqual([ada.id, ada.id]);
    await grace.act("people.remove", { id: ada.id });
    expect([await statusOf(taken.secret), await statusOf(left.secret)]).toEqual([401, 401]);
  });

  it("of a removed person gives no access, even if the store has it", async () => {
    const { service, statusOf } = await open();
    const token = await makeKey(service, { kind: "api" }, "per_gone");
    expect(await statusOf(token.secret)).toBe(401);
  });
});

it("a person who is removed or demoted has no valid link left", async () => {
  const { service, join } = await open();
  const [grace, ada, alan] = [await join("grace", "admin"), await join("ada", "admin"), await join("alan", "admin")];
  const invite = async (cookie: string) =>
    (await service.post("/api/v1/invitations", { role: "admin" }, { cookie })).status;
  const resetLink = async (cookie: string) =>
    (await service.post(`/api/v1/people/${grace.id}/reset-link`, undefined, { cookie })).status;
  for (const { cookie } of [ada, alan]) expect([await invite(cookie), await resetLink(cookie)]).toEqual([201, 201]);
  // The second link for Grace ended the first.
  expect(
    (await service.store.listInvitations(service.state.now))
      .map(({ kind, createdBy }) => `${kind} by ${createdBy}`)
      .toSorted(),
  ).toEqual(["invitation by ada", "invitation by alan", "reset by alan"]);
  expect(await grace.act("people.changeRole", { id: alan.id, role: "operator" })).toBe(200);
  expect(await grace.act("people.remove", { id: ada.id })).toBe(200);
  expect(await service.store.listInvitations(service.state.now)).toEqual([]);
});

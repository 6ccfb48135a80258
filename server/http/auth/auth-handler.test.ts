import { describe, expect, it } from "vitest";
import { createInvitation } from "../../auth/people/invitations.ts";
import { createResetLink } from "../../auth/people/passwords.ts";
import { unknownClient } from "../../auth/access/principal.ts";
import { machineContext } from "../../auth/access/audit-context.ts";
import type { Role } from "../../contract/access/person.ts";
import type { Mode } from "../../config.ts";
import type { Identity } from "../../ports/identity.ts";
import type { AuthDeps } from "./auth-context.ts";
import { createAuthHandler } from "./auth-handler.ts";
import { openTestService, type TestService } from "../rest/testing/test-service.ts";

const password = "correct horse battery";

async function open(given: { mode?: Mode; address?: string } = {}) {
  const service = await openTestService({ mode: given.mode ?? "deployed" });
  const { deps, store, state } = service;
  // The library for sessions uses the machine's clock.
  state.now = Date.now();
  const handle = createAuthHandler({ ...deps, mode: deps.mode, hasProvider: false, isSecure: false, ownHost: null });
  const send = (
    path: string,
    body: unknown,
    p: { headers?: Record<string, string>; isSecure?: boolean; address?: string } = {},
  ) =>
    handle(
      new Request(`http://localhost:3000/api/auth/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...p.headers },
        body: JSON.stringify(body),
      }),
      {
        ...unknownClient,
        address: p.address ?? given.address ?? "192.0.2.1",
        isSecure: p.isSecure ?? false,
      },
    );
  const invite = async (role: Role) =>
    new URL((await createInvitation(deps, { kind: "invitation", role, note: "" }, machineContext)).url).pathname
      .split("/")
      .at(-1) ?? "";
  const join = async (role: Role, email = "ada@example.com") =>
    send("join", { token: await invite(role), name: "Ada", email, password });
  const ask = (cookie: string, headers: Record<string, string> = {}, method = "GET") =>
    deps.authenticate(new Request("http://localhost:3000/api/v1/runs", { method, headers: { cookie, ...headers } }));
  const log = async () =>
    (await store.listAudit({}, { limit: 100, cursor: null })).data.map(({ action, actor, subject, address }) => [
      action,
      actor.name,
      subject,
      address,
    ]);
  return { service, handle, send, invite, join, ask, log };
}

/** Without the time that hashes take. */
const rejecting = (identity: Identity): Identity => ({ ...identity, signIn: async () => ({ outcome: "rejected" }) });

/** Sign-ins of an account and an address each. */
function openDoor({ deps }: TestService, given: Partial<AuthDeps> = {}) {
  const handle = createAuthHandler({ ...deps, hasProvider: false, isSecure: false, ownHost: null, ...given });
  const guess = (at: number, email = `eve${at}@example.com`) =>
    handle(
      new Request("http://localhost:3000/api/auth/sign-in", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email, password: "a guess" }),
      }),
      { ...unknownClient, address: `10.0.${at >> 8}.${at & 255}` },
    );
  return { guess };
}

const cookieOf = (answer: Response) => (answer.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";

describe("people who sign in", () => {
  it("join by an invitation, once, and are signed in with its role", async () => {
    const { invite, send, ask, log } = await open();
    const token = await invite("operator");
    const joined = await send("join", { token, name: " Ada ", email: "Ada@Example.com", password });
    expect(joined.status).toBe(200);
    expect(joined.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^signalbox_person=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(await ask(cookieOf(joined))).toMatchObject({
      kind: "person",
      name: "Ada",
      email: "ada@example.com",
      role: "operator",
    });
    expect((await send("join", { token, name: "Eve", email: "eve@example.com", password })).status).toBe(404);
    expect((await log()).map(([action, who, , from]) => [action, who, from])).toEqual([
      ["session.started", "Ada", "192.0.2.1"],
      ["person.joined", "Ada", "192.0.2.1"],
      ["invitation.created", null, null],
    ]);
  });

  it("sign in with their password, and out: the cookie then gives no access", async () => {
    const { join, send, ask, log, handle } = await open();
    await join("viewer");
    const cookie = cookieOf(await send("sign-in", { email: "ADA@example.com", password }));
    expect(await ask(cookie)).toMatchObject({ role: "viewer" });
    const out = await handle(
      new Request("http://localhost:3000/api/auth/sign-out", {
        method: "POST",
        headers: { cookie, origin: "null", "sec-fetch-site": "same-origin" },
      }),
      unknownClient,
    );
    expect([out.status, out.headers.get("location")]).toEqual([303, "/sign-in"]);
    await expect(ask(cookie)).rejects.toMatchObject({ code: "unauthorized" });
    expect((await log())[0]?.[0]).toBe("session.ended");
  });

  it("learn nothing from a rejection: an unknown address and a wrong password get the same response, and are recorded", async () => {
    const { join, send, log } = await open();
    await join("viewer");
    const answers = await Promise.all([
      send("sign-in", { email: "ada@example.com", password: "something else" }),
      send("sign-in", { email: "eve@example.com", password }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect(await answers[0]?.text()).toBe(await answers[1]?.text());
    expect(answers.flatMap((answer) => answer.headers.getSetCookie())).toEqual([]);
    expect(
      (await log())
        .filter(([action]) => action === "session.rejected")
        .map(([, who, subject]) => [who, subject])
        .toSorted(),
    ).toEqual([
      [null, "ada@example.com"],
      [null, "eve@example.com"],
    ]);
  });

  it("have ten attempts a minute from one address, while others continue", async () => {
    const { send } = await open();
    const guess = (address: string) => send("sign-in", { email: "ada@example.com", password: "a guess" }, { address });
    const statuses: number[] = [];
    for (let at = 0; at < 11; at++) statuses.push((await guess("198.51.100.7")).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
    expect(Number((await guess("198.51.100.7")).headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await guess("198.51.100.8")).status).toBe(401);
  });

  it("have thirty attempts a minute on one account, from any number of addresses", async () => {
    const service = await openTestService({ mode: "deployed" });
    const { guess } = openDoor(service, { identity: async () => rejecting(await service.deps.identity()) });
    const statuses = await Promise.all(
      Array.from(
        { length: 32 },
        async (_, at) => (await guess(at, at % 2 ? "ada@example.com" : "Ada@example.com")).status,
      ),
    );
    expect(statuses).toEqual([...Array<number>(30).fill(401), 429, 429]);
    expect((await guess(40, "eve@example.com")).status).toBe(401);
  });

  it("do not make the service hash more passwords at once than it can: further sign-ins are rejected, not queued", async () => {
    const { guess } = openDoor(await openTestService({ mode: "deployed" }));
    const answers = await Promise.all(Array.from({ length: 300 }, (_, at) => guess(at)));
    const busy = answers.filter(({ status }) => status === 429);
    expect(busy.length).toBeGreaterThan(200);
    expect(busy.every(({ headers }) => Number(headers.get("retry-after")) > 0)).toBe(true);
    expect(answers.filter(({ status }) => status === 401).length).toBe(300 - busy.length);
    expect(busy.length).toBeLessThan(300);
  });

  it("leave a bounded number of rejected sign-ins in the audit log, and the next entry counts those that are not in it", async () => {
    const service = await openTestService({ mode: "deployed" });
    const { guess } = openDoor(service, { identity: async () => rejecting(await service.deps.identity()) });
    for (let at = 0; at < 60; at += 1) expect((await guess(at)).status).toBe(401);
    const rejected = async () =>
      (await service.store.listAudit({ action: "session.rejected" }, { limit: 100, cursor: null })).data;
    expect((await rejected()).length).toBe(50);
    service.state.now += 10_000;
    await guess(60);
    expect((await rejected())[0]).toMatchObject({ subject: "eve60@example.com", detail: { notRecorded: 10 } });
  });

  it("find no OpenID Connect if none is configured, and calling it leaves no trace", async () => {
    const { handle, send, log } = await open();
    const callback = await handle(new Request("http://localhost:3000/api/auth/callback/oidc?code=x&state=y"), {
      ...unknownClient,
      address: "192.0.2.1",
    });
    expect([callback.status, callback.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    expect((await send("oidc", { next: "/" })).status).toBe(404);
    expect(await log()).toEqual([]);
  });

  it("have cookies that are sent only by TLS if the sign-in used TLS", async () => {
    const { join, send } = await open();
    await join("viewer");
    expect(
      (await send("sign-in", { email: "ada@example.com", password }, { isSecure: true })).headers.getSetCookie()[0],
    ).toMatch(/; Secure$/);
  });

  it("are closed to other sites: neither their forms nor their scripts can act for a user", async () => {
    const { handle, join, send, ask } = await open();
    const cookie = cookieOf(await join("admin"));
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "null" },
    ];
    for (const headers of foreign) {
      expect(
        (await send("sign-in", { email: "ada@example.com", password }, { headers })).status,
        JSON.stringify(headers),
      ).toBe(403);
      await expect(ask(cookie, headers, "POST")).rejects.toMatchObject({ code: "forbidden" });
    }
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      for (const path of ["sign-in", "join", "reset", "oidc"])
        expect(
          (await send(path, { email: "ada@example.com", password }, { headers: { "content-type": type } })).status,
          path,
        ).toBe(415);
    }
    const signOut = (headers: Record<string, string>) =>
      handle(
        new Request("http://localhost:3000/api/auth/sign-out", { method: "POST", headers: { cookie, ...headers } }),
        unknownClient,
      );
    for (const headers of [...foreign, {}])
      expect((await signOut(headers)).headers.get("location"), JSON.stringify(headers)).toBe("/");
    expect(await ask(cookie)).toMatchObject({ role: "admin" });
    expect(
      await ask(
        cookie,
        { origin: "http://localhost:3000", "sec-fetch-site": "same-origin", host: "localhost:3000" },
        "POST",
      ),
    ).toMatchObject({ role: "admin" });
  });

  it.each([
    ["of another secret", (cookie: string) => `${cookie.slice(0, -8)}AAAAAAA%3D`],
    ["without a signature", (cookie: string) => cookie.split(".")[0] ?? ""],
    ["that is empty", () => "signalbox_person="],
  ])("a cookie %s gives no access", async (_, forge) => {
    const { join, ask } = await open();
    await expect(ask(forge(cookieOf(await join("admin"))))).rejects.toMatchObject({ code: "unauthorized" });
  });

  it.each([
    ["a short password", { password: "short" }, "/password"],
    ["no address", { email: "ada" }, "/email"],
    ["no name", { name: "  " }, "/name"],
  ])("%s is rejected by its route", async (_, change, pointer) => {
    const { invite, send } = await open();
    const answer = await send("join", {
      token: await invite("viewer"),
      name: "Ada",
      email: "ada@example.com",
      password,
      ...change,
    });
    expect([answer.status, ((await answer.json()) as { errors: { pointer: string }[] }).errors[0]?.pointer]).toEqual([
      422,
      pointer,
    ]);
  });

  describe("who forgot their password", () => {
    const next = "another horse battery";
    let addresses = 0;
    async function openForgotten() {
      // The library counts attempts to sign in for all services of a process.
      const opened = await open({ address: `203.0.113.${++addresses}` });
      const { join, service } = opened;
      const cookie = cookieOf(await join("operator"));
      const [person] = await service.store.listPeople(service.state.now);
      const link = async () => new URL((await createResetLink(service.deps, person?.id ?? "", machineContext)).url);
      const tokenOf = async () => (await link()).pathname.split("/").at(-1) ?? "";
      return { ...opened, cookie, link, tokenOf };
    }

    it("sets a new one by a link of an admin, once: the old password and all sessions give no access afterwards", async () => {
      const { send, ask, log, cookie, link, service } = await openForgotten();
      const url = await link();
      expect(url.pathname).toMatch(/^\/reset\/[\w-]{43}$/);
      const token = url.pathname.split("/").at(-1) ?? "";
      expect(await ask(cookie)).toMatchObject({ role: "operator" });
      const answer = await send("reset", { token, password: next });
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []]);
      await expect(ask(cookie)).rejects.toMatchObject({ code: "unauthorized" });
      expect((await send("reset", { token, password: "yet another horse" })).status).toBe(404);
      expect((await send("join", { token, name: "Eve", email: "eve@example.com", password })).status).toBe(404);
      expect((await send("sign-in", { email: "ada@example.com", password })).status).toBe(401);
      const signedIn = await send("sign-in", { email: "ada@example.com", password: next });
      expect(await ask(cookieOf(signedIn))).toMatchObject({ name: "Ada", role: "operator" });
      expect((await log()).map(([action]) => action)).toEqual([
        "session.started",
        "session.rejected",
        "person.password-reset",
        "person.reset-link-created",
        "session.started",
        "person.joined",
        "invitation.created",
      ]);
      expect(
        JSON.stringify([
          await service.store.listAudit({}, { limit: 100, cursor: null }),
          service.state.log,
          await service.store.listInvitations(0),
        ]),
      ).not.toContain(token);
    });

    it("has an hour for it", async () => {
      const { send, tokenOf, service } = await openForgotten();
      const token = await tokenOf();
      service.state.now += 60 * 60 * 1000;
      expect((await send("reset", { token, password: next })).status).toBe(404);
    });

    it("leaves the link as it was with a password that is too short", async () => {
      const { send, tokenOf } = await openForgotten();
      const token = await tokenOf();
      expect([
        (await send("reset", { token, password: "short" })).status,
        (await send("reset", { token, password: next })).status,
      ]).toEqual([422, 200]);
    });

    it("is distinguished from guessing: ten attempts a minute from one address, on links of any kind", async () => {
      const { send, tokenOf } = await openForgotten();
      const guess = (path: string, at: number) =>
        send(
          path,
          {
            token: `guess ${at}`,
            password: next,
            ...(path === "join" ? { name: "Eve", email: "eve@example.com" } : {}),
          },
          { address: "198.51.100.7" },
        );
      const statuses: number[] = [];
      for (let at = 0; at < 10; at++) statuses.push((await guess(at % 2 ? "join" : "reset", at)).status);
      expect(statuses).toEqual(Array<number>(10).fill(404));
      for (const path of ["join", "reset"]) {
        const answer = await guess(path, 10);
        expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([429, true]);
      }
      expect(
        (await send("reset", { token: await tokenOf(), password: next }, { address: "198.51.100.8" })).status,
      ).toBe(200);
    });

    it("gets no link without a password: accounts of a provider, and unknown accounts", async () => {
      const { service } = await openForgotten();
      const at = new Date();
      await service.store.insertRow("user", {
        id: "per_oidc",
        name: "Eve",
        email: "eve@example.com",
        role: "viewer",
        createdAt: at,
        updatedAt: at,
      });
      await expect(createResetLink(service.deps, "per_oidc", machineContext)).rejects.toMatchObject({
        code: "invalid_input",
      });
      await expect(createResetLink(service.deps, "per_unknown", machineContext)).rejects.toMatchObject({
        code: "not_found",
      });
    });
  });

  it("are not needed in development, which has no sign-in", async () => {
    const { send } = await open({ mode: "development" });
    expect((await send("sign-in", { email: "ada@example.com", password })).status).toBe(404);
  });

  it("reach nothing else of the library: only the listed paths answer", async () => {
    const { send } = await open();
    for (const path of [
      "sign-up/email",
      "sign-in/email",
      "get-session",
      "list-sessions",
      "update-user",
      "delete-user",
      "ok",
      "error",
    ]) {
      expect((await send(path, { name: "Eve", email: "eve@example.com", password, role: "admin" })).status, path).toBe(
        404,
      );
    }
  });
});

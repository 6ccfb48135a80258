import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Configuration, Provider } from "oidc-provider";
import { describe, expect, it, onTestFinished } from "vitest";
import { machineContext } from "../auth/access/audit-context.ts";
import { unknownClient } from "../auth/access/principal.ts";
import type { Role } from "../contract/access/person.ts";
import { removePerson } from "../auth/people/change-person.ts";
import { createAuthHandler } from "../http/auth/auth-handler.ts";
import { openTestService } from "../http/rest/testing/test-service.ts";
import { createIdentity } from "./create-identity.ts";

const ours = "http://127.0.0.1:3000";

interface Claims {
  email: string;
  email_verified: boolean;
  name?: string;
}

/** A real provider that accepts every sign-in, as the configured person. */
async function openProvider(claims: Claims) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const configuration: Configuration = {
    clients: [
      {
        client_id: "signalbox",
        client_secret: "a secret of the client",
        redirect_uris: [`${ours}/api/auth/callback/oidc`],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    cookies: { keys: ["a key"] },
    findAccount: (_, accountId) => ({ accountId, claims: async () => ({ sub: accountId, ...claims }) }),
    features: { devInteractions: { enabled: true } },
  };
  const provider = new Provider(issuer, configuration);
  server.on("request", provider.callback());
  return { issuer };
}

/** A browser that follows the provider's redirects and fills in its forms, until it is sent back to us. */
async function goThrough(url: string): Promise<string> {
  const jar = new Map<string, string>();
  let next: { url: string; init: RequestInit } = { url, init: {} };
  for (let steps = 0; steps < 20; steps++) {
    if (next.url.startsWith(ours)) return next.url;
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(next.url, {
      ...next.init,
      redirect: "manual",
      headers: { ...next.init.headers, cookie },
    });
    for (const one of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      jar.set(name, value);
    }
    const location = response.headers.get("location");
    if (location) next = { url: new URL(location, next.url).href, init: {} };
    else {
      const page = await response.text();
      const action = /action="([^"]+)"/.exec(page)?.[1] ?? "";
      const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? "";
      if (!action) throw new Error(`The provider shows no form: ${response.status} ${page.slice(0, 300)}`);
      next = {
        url: new URL(action, next.url).href,
        init: {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams({ prompt, login: "ada", password: "x" }).toString(),
        },
      };
    }
  }
  throw new Error("The provider never sent back.");
}

async function open(claims: Claims, role: Role = "viewer") {
  const { issuer } = await openProvider(claims);
  const { deps, store, state } = await openTestService({ mode: "deployed" });
  state.now = Date.now();
  const identity = createIdentity({
    rows: store,
    baseUrl: ours,
    secret: "a session secret of many characters",
    oidc: {
      issuer,
      clientId: "signalbox",
      clientSecret: "a secret of the client",
      domains: ["example.com"],
      role,
      name: "Example",
    },
  });
  const handle = createAuthHandler({
    ...deps,
    identity: async () => identity,
    hasProvider: true,
    isSecure: false,
    ownHost: null,
  });
  const signIn = async () => {
    const left = await handle(
      new Request(`${ours}/api/auth/oidc`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ next: "/runs" }),
      }),
      { ...unknownClient, address: "192.0.2.1" },
    );
    const { url } = (await left.json()) as { url: string };
    const back = await goThrough(url);
    const cookie = left.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; ");
    const answer = await handle(new Request(back, { headers: { cookie } }), { ...unknownClient, address: "192.0.2.1" });
    const replayed = await handle(new Request(back, { headers: { cookie } }), {
      ...unknownClient,
      address: "192.0.2.1",
    });
    const session =
      answer.headers
        .getSetCookie()
        .find((one) => one.startsWith("signalbox_person="))
        ?.split(";")[0] ?? "";
    const who = await deps.authenticate(new Request(ours, { headers: { cookie: session } })).catch(() => null);
    return { to: answer.headers.get("location"), who, replayedTo: replayed.headers.get("location"), back };
  };
  return { signIn, store, handle, deps };
}

const anAudit = (id: string) =>
  ({
    id,
    at: 1,
    action: "person.joined",
    actor: { kind: "machine", id: null, name: null },
    subject: null,
    address: null,
    detail: null,
  }) as const;
const invitationAt = (now: number) =>
  ({
    id: "inv_1",
    kind: "invitation",
    hash: "h",
    role: "admin",
    note: "",
    createdBy: "",
    createdById: null,
    personId: null,
    createdAt: now,
    expiresAt: now + 1e6,
  }) as const;

describe("signing in by OpenID Connect", () => {
  it("lets in a verified address of an allowed domain, with the role of newcomers, and knows it again", async () => {
    const { signIn, store } = await open({ email: "Ada@Example.com", email_verified: true, name: "Ada" }, "operator");
    const first = await signIn();
    expect([first.to, first.who]).toMatchObject([
      "/runs",
      { kind: "person", name: "Ada", email: "ada@example.com", role: "operator" },
    ]);
    // A code and its state are good once.
    expect(first.replayedTo).toBe("/sign-in?failed=oidc");
    expect((await signIn()).who).toMatchObject({ email: "ada@example.com" });
    expect(await store.countPeople()).toBe(1);
    const actions = (await store.listAudit({}, { limit: 10, cursor: null })).data.map(({ action }) => action);
    expect(actions.toSorted()).toEqual([
      "person.joined",
      "session.rejected",
      "session.rejected",
      "session.started",
      "session.started",
    ]);
  });

  it.each([
    ["of another domain", { email: "eve@evil.example", email_verified: true }],
    ["of a domain that only ends alike", { email: "eve@notexample.com", email_verified: true }],
    ["that was not verified", { email: "eve@example.com", email_verified: false }],
  ])("does not let in an address %s", async (_, claims) => {
    const { signIn, store } = await open(claims);
    expect(await signIn()).toMatchObject({ to: "/sign-in?failed=oidc", who: null });
    expect(await store.countPeople()).toBe(0);
  });

  it("does not let in a removed person again, also with another address, until they accept an invitation", async () => {
    const claims = { email: "ada@example.com", email_verified: true };
    const { signIn, store, deps } = await open(claims);
    const { who } = await signIn();
    await store.createInvitation({ invitation: invitationAt(Date.now()), audit: anAudit("aud_1") });
    await removePerson({ store, clock: deps.clock }, who?.kind === "person" ? who.personId : "", machineContext);
    const rejected = { to: "/sign-in?failed=oidc", who: null };
    expect(await signIn()).toMatchObject(rejected);
    claims.email = "countess@example.com";
    expect(await signIn()).toMatchObject(rejected);
    expect(await store.countPeople()).toBe(0);
    await store.acceptInvitation({
      hash: "h",
      person: { id: "per_1", name: "Ada", email: "ADA@example.com", accountId: "acc_1", passwordHash: "x" },
      now: Date.now(),
      audit: anAudit("aud_2"),
    });
    // Under this address, the account at the provider may have an account of its own again.
    expect((await signIn()).who).toMatchObject({ email: "countess@example.com" });
  });

  it("gives no access to an account that was created with a password under the same address", async () => {
    const { signIn, store } = await open({ email: "ada@example.com", email_verified: true });
    const now = Date.now();
    await store.createInvitation({ invitation: invitationAt(now), audit: anAudit("aud_1") });
    await store.acceptInvitation({
      hash: "h",
      person: { id: "per_1", name: "Eve", email: "ada@example.com", accountId: "acc_1", passwordHash: "x" },
      now,
      audit: anAudit("aud_2"),
    });
    expect(await signIn()).toMatchObject({ to: "/sign-in?failed=oidc", who: null });
  });

  it("takes thirty callbacks a minute from one network before it asks or writes anything", async () => {
    const { handle, store } = await open({ email: "ada@example.com", email_verified: true });
    const call = async (at: number) =>
      (
        await handle(new Request(`${ours}/api/auth/callback/oidc?code=x&state=y`), {
          ...unknownClient,
          address: `2001:db8::${at + 1}`,
        })
      ).status;
    const statuses = await Promise.all(Array.from({ length: 40 }, (_, at) => call(at)));
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect((await store.listAudit({}, { limit: 100, cursor: null })).data).toHaveLength(30);
  });

  it("answers where the provider cannot be reached", async () => {
    const { deps, store } = await openTestService({ mode: "deployed" });
    const identity = createIdentity({
      rows: store,
      baseUrl: ours,
      secret: "a session secret of many characters",
      oidc: {
        issuer: "http://127.0.0.1:1",
        clientId: "a",
        clientSecret: "b",
        domains: ["example.com"],
        role: "viewer",
        name: "Away",
      },
    });
    const handle = createAuthHandler({
      ...deps,
      identity: async () => identity,
      hasProvider: true,
      isSecure: false,
      ownHost: null,
    });
    const answer = await handle(
      new Request(`${ours}/api/auth/oidc`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"next":"/"}',
      }),
      { ...unknownClient, address: "192.0.2.1" },
    );
    expect(answer.status).toBe(404);
  });
});

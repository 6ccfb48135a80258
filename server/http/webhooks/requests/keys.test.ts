import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { custom } from "../../../../sdk/verify/index.ts";
import { createWebhookAuthenticator, generateKey, hashKey } from "../../../auth/keys/check-key.ts";
import { triggerOf } from "../../../ingest/testing/project.ts";
import { systemClock } from "../../../ports/clock.ts";
import { openSqliteStore } from "../../../store/sqlite/open-store.ts";
import { aKey } from "../../../store/testing/factories.ts";
import { sendRaw, serve } from "../../testing/serve.ts";

const triggers = [triggerOf({ slug: "new-signup", endpoint: "signup", request: z.object({ email: z.email() }) })];

/** The complete response except for the time. */
const withoutDate = (head: string) => head.replace(/^date: .*$/im, "date: now");

const formsOf = (path: string, key: string): [string, string][] => [
  [`${path}?token=${key}`, ""],
  [`${path}?api_key=${key}`, ""],
  [path, `authorization: Bearer ${key}\r\n`],
  [path, `x-api-key: ${key}\r\n`],
];

test("a key of another endpoint is answered as an unknown one is, byte by byte, on every path and in every form", async () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-keys-"));
  const store = await openSqliteStore({ file: join(folder, "ledger.db") });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const keyOf = async (given: Parameters<typeof aKey>[0]) => {
    const secret = generateKey("webhook");
    await store.createKey(aKey({ hash: hashKey(secret), ...given }));
    return secret;
  };
  const now = Date.now();
  const elsewhere = await keyOf({ endpoints: ["billing"] });
  const expired = await keyOf({ expiresAt: now - 1 });
  const revoked = await keyOf({ id: "key_revoked" });
  await store.revokeKey("key_revoked", now);
  const good = await keyOf({ endpoints: ["signup"] });
  const { port } = await serve({
    triggers,
    authenticate: createWebhookAuthenticator({ store, mode: "deployed", clock: systemClock }),
  });

  const send = async (path: string, header: string) => {
    const body = '{"email":"ada@example.com"}';
    const {
      status,
      head,
      body: answer,
    } = await sendRaw(
      port,
      `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${header}content-length: ${body.length}\r\n\r\n${body}`,
    );
    return { status, text: `${withoutDate(head)}\r\n\r\n${answer}` };
  };
  const answers = new Set<string>();
  for (const path of ["/triggers/signup", "/triggers/no-such-endpoint", "/triggers/signup/"]) {
    for (const key of [generateKey("webhook"), elsewhere, expired, revoked, "nonsense"]) {
      for (const form of formsOf(path, key)) {
        const { status, text } = await send(...form);
        expect(status).toBe(401);
        answers.add(text);
      }
    }
  }
  expect([...answers]).toHaveLength(1);
  for (const form of formsOf("/triggers/signup", good)) expect((await send(...form)).status).toBe(202);
});

const forms = {
  token: (value: string) => ({ query: `token=${encodeURIComponent(value)}` }),
  apiKey: (value: string) => ({ query: `api_key=${encodeURIComponent(value)}` }),
  bearer: (value: string) => ({ header: `authorization: Bearer ${value}` }),
  basic: (value: string) => ({ header: `authorization: Basic ${Buffer.from(`hook:${value}`).toString("base64")}` }),
  basicOfProxy: (value: string) => ({
    header: `authorization: Basic ${Buffer.from(`proxy:${value}`).toString("base64")}`,
  }),
  xApiKey: (value: string) => ({ header: `x-api-key: ${value}` }),
};
type Form = keyof typeof forms;

test("credentials of other services beside a valid key are ignored and not stored; alone, or beside an invalid key, they get 401", async () => {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-foreign-"));
  const store = await openSqliteStore({ file: join(dir, "signalbox.db") });
  onTestFinished(async () => {
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const valid = generateKey("webhook");
  await store.createKey(aKey({ hash: hashKey(valid) }));
  const { port } = await serve({
    triggers,
    store,
    authenticate: createWebhookAuthenticator({ store, mode: "deployed", clock: systemClock }),
  });
  const foreign = "foreign-credential-2c9b1d7e5f";
  const send = async (credentials: readonly (readonly [Form, string])[]) => {
    const parts: { query?: string; header?: string }[] = credentials.map(([form, value]) => forms[form](value));
    const query = parts.flatMap((part) => part.query ?? []).join("&");
    const lines = parts.flatMap((part) => part.header ?? []).map((line) => `${line}\r\n`);
    const body = '{"email":"ada@example.com"}';
    const { status, head } = await sendRaw(
      port,
      `POST /triggers/signup?${query} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${lines.join("")}x-echo: ${foreign}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    return { status, id: /^signalbox-delivery: (\S+)/im.exec(head)?.[1] ?? "" };
  };
  const carriers = Object.keys(forms) as Form[];
  for (const ofKey of carriers) {
    for (const ofOther of carriers) {
      const { status, id } = await send([
        [ofOther, foreign],
        [ofKey, valid],
      ]);
      expect([ofKey, ofOther, status]).toEqual([ofKey, ofOther, 202]);
      const text = JSON.stringify(await store.getDelivery(id));
      expect(text).not.toContain(valid);
      expect(text).not.toContain(foreign);
    }
    for (const invalid of [generateKey("webhook"), generateKey("api"), valid.slice(0, 30)])
      for (const form of carriers) {
        const { status } = await send([
          [ofKey, valid],
          [form, invalid],
        ]);
        expect(status).toBe(401);
      }
    expect((await send([[ofKey, foreign]])).status).toBe(401);
  }
  expect((await send(carriers.map((form) => [form, foreign]))).status).toBe(401);
});

const isOfSender = ({ headers }: { headers: Headers }) => headers.get("authorization") === "Bearer of-the-sender";

test("a check of the project receives the sender's own credential, which is not stored", async () => {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-own-"));
  const store = await openSqliteStore({ file: join(dir, "signalbox.db") });
  onTestFinished(async () => {
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const key = generateKey("webhook");
  await store.createKey(aKey({ hash: hashKey(key) }));
  const { url } = await serve({
    triggers: triggers.map((trigger) => ({ ...trigger, verify: custom({ name: "acme", check: isOfSender }) })),
    store,
    authenticate: createWebhookAuthenticator({ store, mode: "deployed", clock: systemClock }),
  });
  const send = (authorization: string) =>
    fetch(`${url}/triggers/signup?token=${key}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization, "x-copy": authorization.slice(7) },
      body: '{"email":"ada@example.com"}',
    });
  const [genuine, forged] = [await send("Bearer of-the-sender"), await send("Bearer of-an-attacker")];
  expect([genuine.status, forged.status]).toEqual([202, 401]);
  expect(await forged.json()).toMatchObject({ code: "invalid_signature" });
  for (const response of [genuine, forged]) {
    const stored = await store.getDelivery(response.headers.get("signalbox-delivery") ?? "");
    expect(stored?.headers).toMatchObject({ authorization: "[redacted]", "x-copy": "[redacted]" });
  }
});

test("a 404 names the nearest endpoint only among those that the sent keys may send to, and only with a valid key", async () => {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-near-"));
  const store = await openSqliteStore({ file: join(dir, "signalbox.db") });
  onTestFinished(async () => {
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const keyOf = async (endpoints: string[] | null) => {
    const secret = generateKey("webhook");
    await store.createKey(aKey({ hash: hashKey(secret), endpoints }));
    return secret;
  };
  const [forAll, removed, both] = [await keyOf(null), await keyOf(["singup"]), await keyOf(["singup", "signup"])];
  const { url } = await serve({
    triggers,
    authenticate: createWebhookAuthenticator({ store, mode: "deployed", clock: systemClock }),
  });
  const send = async (key: string | null) => {
    const response = await fetch(`${url}/triggers/singup`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key !== null && { "x-api-key": key }) },
      body: "{}",
    });
    return [response.status, ((await response.json()) as { detail: string }).detail] as const;
  };
  const near = 'No trigger listens on this endpoint. Did you mean "signup"?';
  const none = "No trigger listens on this endpoint.";
  expect(await send(forAll)).toEqual([404, near]);
  expect(await send(both)).toEqual([404, near]);
  // The key was made for an endpoint that no longer exists. It reveals no other endpoint.
  expect(await send(removed)).toEqual([404, none]);
  for (const key of [null, generateKey("webhook"), await keyOf(["signup"])]) {
    const [status, detail] = await send(key);
    expect([status, detail.includes("signup")]).toEqual([401, false]);
  }
});

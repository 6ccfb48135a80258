import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { signalbox } from "../support/service.ts";
import { type Answered, post } from "./bystander.ts";
import { startHostileService } from "./hostile-service.ts";
import { exchange } from "./raw-exchange.ts";

const ada = '{"name":"Ada"}';

it("a key, valid or not, in any form and part of a request, is in no log, table, response, page or export", async () => {
  const service = await startHostileService();
  const { url, port, key, token, projectDir } = service;
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  onTestFinished(() => agent.destroy());
  const wrong = `sbk_${randomBytes(24).toString("hex")}`;
  const answers: Answered[] = [];
  const sent: number[] = [];
  const send = async (path: string, headers: Record<string, string> = {}, body = ada) => {
    const answer = await post({ url: url + path, body, headers, agent });
    answers.push(answer);
    sent.push(answer.status);
  };
  // Each form, valid and not; each time the same key is also in a part of the request where it does not belong.
  for (const one of [key, wrong]) {
    const slips = {
      referer: `https://x.example/hook?token=${one}`,
      "user-agent": `agent ${one}`,
      "x-note": one,
      cookie: `token=${one}`,
      "idempotency-key": `${one}-${sent.length}`,
      "x-forwarded-uri": `/triggers/signup?token=${one}`,
    };
    for (const body of [ada, '{"name":1}', "{", `{"name":{"${one}":1}}`, `{"${one}`]) {
      await send(`/triggers/signup?token=${one}`, slips, body);
      await send(`/triggers/signup?api_key=${one}`, slips, body);
      await send("/triggers/signup", { ...slips, authorization: `Bearer ${one}` }, body);
      await send("/triggers/signup", { ...slips, "x-api-key": one }, body);
    }
    await send(`/triggers/${one}?token=${one}`, slips);
    await send(`/triggers/signup/${one}`, { "x-api-key": one });
    await send(`/triggers/%zz${one}?token=${one}`);
    await send(`/triggers/signup&token=${one}?token=${one}`);
    await send(`/triggers/signup?token=${one}&x=%zz`, { "content-type": `text/${one}`, "content-encoding": one });
    await send(`/triggers/signup?%74oken=%73${one.slice(1)}`, { "content-encoding": "gzip" });
    await send(`/triggers/signup?token=${one}`, {
      "x-api-key": wrong,
      authorization: `Basic ${Buffer.from(one).toString("base64")}`,
    });
    for (const lines of [`PUT /triggers/signup?token=${one}`, `GET /triggers/${one}?token=${one}`])
      sent.push(
        ...(await exchange(port, `${lines} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).map(
          (answer) => (answers.push({ status: answer.status, text: answer.head + answer.body }), answer.status),
        ),
      );
    sent.push(
      ...(
        await exchange(
          port,
          `POST /triggers/signup?token=${one} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n`,
        )
      ).map((answer) => (answers.push({ status: answer.status, text: answer.head + answer.body }), answer.status)),
    );
    sent.push(
      ...(
        await exchange(
          port,
          `POST /triggers/signup HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${one}\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n${ada}`,
          { endsAfter: true },
        )
      ).map(({ status }) => status),
    );
  }
  expect([...new Set(sent)].sort()).toEqual(expect.arrayContaining([202, 400, 401, 404, 405, 415, 422]));

  const authorization = `Bearer ${token}`;
  const read = async (
    path: string,
    headers: Record<string, string> = { authorization, cookie: `signalbox_session=${token}` },
  ) => {
    const response = await fetch(url + path, { headers });
    expect([path, response.status]).toEqual([path, 200]);
    return JSON.stringify([...response.headers]) + (await response.text());
  };
  const pages = await Promise.all(
    ["/api/v1/deliveries?limit=100", "/api/v1/runs?limit=100", "/api/v1/triggers", "/api/v1/keys", "/metrics"].map(
      (path) => read(path),
    ),
  );
  for (const path of ["/", "/deliveries", "/runs"])
    pages.push(await read(path, { cookie: `signalbox_session=${token}` }));
  const exported = signalbox(["triggers", "runs", "list", "signup", "--json", "--project", projectDir], {
    cwd: projectDir,
  });
  expect(exported.status).toBe(0);
  expect(await service.stop()).toBe(0);

  const tables = dumpTables(join(projectDir, ".signalbox/signalbox.db"));
  expect(tables).toContain("[redacted]");
  const files = filesBelow(join(projectDir, ".signalbox")).filter((file) => !file.includes("signalbox.db"));
  const places = {
    answers: JSON.stringify(answers),
    log: service.output(),
    tables,
    pages: pages.join("\n"),
    exported: exported.stdout + exported.stderr,
    files: files.map((file) => readFileSync(file, "latin1")).join("\n"),
  };
  for (const [place, text] of Object.entries(places)) {
    expect(text.length, place).toBeGreaterThan(2);
    for (const [name, secret] of Object.entries({ key, wrong, token }))
      expect(around(text, secret), `${name} in ${place}`).toBeNull();
  }
});

/** Every column of every table but the bodies themselves, which are kept as they came. */
function dumpTables(file: string): string {
  const database = new Database(file, { readonly: true });
  onTestFinished(() => void database.close());
  const names = database
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => name);
  const rows = names.flatMap((name) =>
    database
      .prepare<[], Record<string, unknown>>(`SELECT * FROM "${name}"`)
      .all()
      .map((row) => ({ name, ...row, body: null })),
  );
  return JSON.stringify(rows, (_, value: unknown) =>
    value instanceof Uint8Array
      ? Buffer.from(value).toString("latin1")
      : isBufferJson(value)
        ? Buffer.from(value.data).toString("latin1")
        : value,
  );
}

function isBufferJson(value: unknown): value is { data: number[] } {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    value.type === "Buffer" &&
    "data" in value &&
    Array.isArray(value.data)
  );
}

function around(text: string, secret: string): string | null {
  const at = text.indexOf(secret);
  return at < 0 ? null : text.slice(Math.max(0, at - 200), at + secret.length + 20);
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile());
}

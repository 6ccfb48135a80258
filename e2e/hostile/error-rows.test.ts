import { Agent } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { post } from "./bystander.ts";
import { startHostileService } from "./hostile-service.ts";
import { exchange } from "./raw-exchange.ts";

type KeyForm = (key: string) => { query: string; headers: Record<string, string> };
type Row = {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
  status: number;
  code: string | null;
  answer?: RegExp;
};

const ada = '{"name":"Ada"}';
/** More than there are rows, and so few that none comes back while the test asks for what is over them. */
const perHour = 80;

/** The table of the contract, but what needs a store that is away or a minute of waiting. */
const rows: Row[] = [
  { status: 202, code: null, answer: /^location: \/api\/v1\/runs\/run_/im },
  { path: "/triggers/billing", body: "{}", status: 200, code: null },
  { body: "{}", status: 422, code: "request_mismatch" },
  { path: "/triggers/nowhere", status: 404, code: "unknown_endpoint" },
  { path: "/triggers/signup/", status: 404, code: "unknown_endpoint" },
  { path: "/triggers//signup", status: 404, code: "unknown_endpoint" },
  { path: "/triggers/signup%2F", status: 404, code: "unknown_endpoint" },
  { path: "/triggers/signup%00", status: 404, code: "unknown_endpoint" },
  { path: "/triggers/%zz", status: 400, code: "invalid_path" },
  { method: "GET", body: "", status: 405, code: "method_not_allowed", answer: /^allow: POST\r?$/im },
  { method: "PUT", status: 405, code: "method_not_allowed", answer: /^allow: POST\r?$/im },
  { body: '{"name":', status: 400, code: "invalid_json" },
  { body: '"\xff"', status: 400, code: "invalid_json" },
  { body: "[".repeat(513), status: 400, code: "invalid_json" },
  {
    headers: { "content-type": "text/plain" },
    status: 415,
    code: "unsupported_media_type",
    answer: /^accept: application\/json\r?$/im,
  },
  {
    headers: { "content-encoding": "zstd" },
    status: 415,
    code: "unsupported_media_type",
    answer: /^accept-encoding: gzip, deflate, br\r?$/im,
  },
  { headers: { "content-encoding": "gzip" }, status: 400, code: "invalid_body" },
  { body: "1e999", status: 400, code: "invalid_body" },
  {
    headers: { "content-length": "1048577" },
    body: "",
    status: 413,
    code: "body_too_large",
    answer: /^connection: close\r?$/im,
  },
];

const forms: Record<string, KeyForm> = {
  "?token=": (key) => ({ query: `?token=${key}`, headers: {} }),
  "?api_key=": (key) => ({ query: `?api_key=${key}`, headers: {} }),
  "Authorization: Bearer": (key) => ({ query: "", headers: { authorization: `Bearer ${key}` } }),
  "x-api-key": (key) => ({ query: "", headers: { "x-api-key": key } }),
};

it("every row of the contract applies when deployed, for each form of the key; with a wrong key each row is the same 401, and over a limit 429", async () => {
  const config = `import { defineConfig } from "signalbox/config";\nexport default defineConfig({ limits: { perKey: { requests: ${perHour}, per: "hour" } } });\n`;
  const { url, port, key } = await startHostileService({ files: { "signalbox.config.ts": config } });
  const send = async (row: Row, form: KeyForm, given: string) => {
    const { method = "POST", path = "/triggers/signup", body = ada } = row;
    const { query, headers } = form(given);
    const lines = Object.entries({
      host: "x",
      connection: "close",
      "content-type": "application/json",
      "content-length": String(body.length),
      ...headers,
      ...row.headers,
    });
    const [answer] = await exchange(
      port,
      `${method} ${path}${query} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`,
    );
    expect(answer?.head).not.toMatch(/^access-control/im);
    expect((answer?.head ?? "") + answer?.body).not.toContain(given);
    return {
      status: answer?.status,
      head: answer?.head ?? "",
      json: JSON.parse(answer?.body || "{}") as { code?: string; status?: number },
    };
  };
  const unauthorized = new Set<string>();
  const askRow = async (name: string, form: KeyForm, row: Row) => {
    const title = `${name} ${JSON.stringify(row).slice(0, 120)}`;
    const { status, head, json } = await send(row, form, key);
    expect([status, json.code ?? null], title).toEqual([row.status, row.code]);
    expect(head, title).toMatch(row.answer ?? /^HTTP/);
    expect(head, title).toMatch(/^signalbox-delivery: dlv_/im);
    expect(head, title).toMatch(
      row.code === null ? /^content-type: application\/json\r?$/im : /^content-type: application\/problem\+json\r?$/im,
    );
    const wrong = await send(row, form, `${key.slice(0, -1)}!`);
    expect(wrong.status, title).toBe(401);
    expect(wrong.head, title).toMatch(/^www-authenticate: Bearer, Basic realm="webhooks"\r?$/im);
    expect(wrong.head, title).not.toMatch(/^(signalbox-delivery|ratelimit)/im);
    unauthorized.add(JSON.stringify(wrong.json));
  };
  await Promise.all(Object.entries(forms).flatMap(([name, form]) => rows.map((row) => askRow(name, form, row))));
  expect(unauthorized.size).toBe(1);

  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  onTestFinished(() => agent.destroy());
  const statuses: number[] = [];
  while (statuses.length < perHour && statuses.at(-1) !== 429)
    statuses.push(
      (await post({ url: `${url}/triggers/signup`, body: ada, headers: { "x-api-key": key }, agent })).status,
    );
  expect(new Set(statuses)).toEqual(new Set([202, 429]));
  for (const [name, form] of Object.entries(forms)) {
    const { status, head, json } = await send({ status: 429, code: "rate_limited" }, form, key);
    expect([status, json.code], name).toEqual([429, "rate_limited"]);
    expect(head, name).toMatch(/^retry-after: [1-9]\d*\r?$/im);
  }
});

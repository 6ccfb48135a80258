import { expect, it } from "vitest";
import type { DeliverySummary, Origin } from "../../../server/contract/delivery.ts";
import { type Manifest, manifestAgentSchema } from "../../../server/contract/project/manifest.ts";
import { formatLocalTime } from "../../../server/shared/format.ts";
import { createPaint } from "../../terminal/terminal.ts";
import { fakeDelivery } from "../testing/fake-host.ts";
import { countText, renderDelivery, renderReady, renderRunEnded } from "./text-events.ts";

const paint = createPaint(false);
const now = Date.parse("2026-11-21T10:00:00Z");
const target = { kind: "workflow", slug: "welcome-email" } as const;

const delivery: DeliverySummary = {
  ...fakeDelivery,
  verdicts: [
    {
      trigger: "new-signup",
      attachmentId: "new-signup:welcome-email",
      target,
      outcome: "matched",
      runId: "run_1",
      reasons: [],
    },
    {
      trigger: "vip-signup",
      attachmentId: "vip-signup:welcome-email",
      target,
      outcome: "filter_mismatch",
      runId: null,
      reasons: [
        { pointer: "/plan", code: "invalid_value", message: "", expected: '"vip"', actual: '"\u001b[2Jfree"' },
        { pointer: "/age", code: "too_small", message: "Too small", expected: null, actual: null },
      ],
    },
  ],
};

it("a delivery shows the verdict and the reason of each trigger", () => {
  expect(renderDelivery(delivery, { paint, now })).toBe(
    [
      `${formatLocalTime(now)}  → POST /triggers/signup  202 accepted  4 ms`,
      "          ✓ matched           new-signup  run_1",
      '          ◇ filter mismatch   vip-signup  /plan: expected "vip", got "\\u001b[2Jfree" (and 1 more)',
      "",
    ].join("\n"),
  );
});

it("a match of a trigger without a target wakes runs, or no run waits for it", () => {
  const [verdict] = delivery.verdicts;
  const verdicts = verdict ? [{ ...verdict, target: null, runId: null }] : [];
  expect(renderDelivery({ ...delivery, verdicts }, { paint, now })).toContain(
    "          ✓ matched           new-signup  no run waits for it\n",
  );
  const woke = ["run_1", "run_2", "run_3", "run_4"].map((runId) => ({ runId, source: "new-signup" }));
  expect(renderDelivery({ ...delivery, verdicts, woke }, { paint, now })).toContain(
    "          ✓ matched           new-signup\n          woke run_1, run_2, run_3 and 1 more run\n",
  );
});

const origin = (verdicts: Origin["verdicts"], outcome: Origin["outcome"] = "accepted") => ({
  "signalbox-origin": JSON.stringify({
    url: "https://hooks.example.com",
    outcome,
    responseStatus: outcome === "accepted" ? 202 : 200,
    verdicts,
    isMatchOnly: false,
    isMasked: false,
  }),
});

it("a delivery of another service shows whether that service decided the same, and which triggers differ", () => {
  const same = delivery.verdicts.map(({ attachmentId, outcome }) => ({ attachmentId, outcome }));
  const render = (headers: Record<string, string>) =>
    renderDelivery({ ...delivery, headers }, { paint, now }).split("\n");
  expect(render(origin(same))[0]).toMatch(/ {2}= origin 202 accepted$/);
  const [first, ...lines] = render(
    origin(
      [
        { attachmentId: "new-signup:welcome-email", outcome: "disabled" },
        { attachmentId: "old-signup:welcome-email", outcome: "matched" },
      ],
      "skipped",
    ),
  );
  expect(first).toMatch(/ {2}≠ origin 200 skipped$/);
  expect(lines).toEqual([
    "          ✓ matched           new-signup  run_1  origin: disabled",
    expect.stringMatching(/vip-signup .* origin: no verdict$/),
    "          origin: matched old-signup:welcome-email",
    "",
  ]);
});

it("verdicts that are not listed have one line for each field", () => {
  const unlisted = { outcome: "filter_mismatch", pointer: "/type", actual: '"x"', count: 990 } as const;
  const many = { ...delivery, verdicts: [], unlistedVerdicts: [unlisted, { ...unlisted, pointer: null, count: 3 }] };
  expect(renderDelivery(many, { paint, now }).split("\n").slice(1)).toEqual([
    "          ◇ filter mismatch   990 triggers  at /type",
    "          ◇ filter mismatch   3 triggers",
    "",
  ]);
});

it("a rejected delivery shows the problem", () => {
  const problem = {
    type: "",
    title: "",
    status: 404,
    code: "unknown_endpoint",
    detail: 'No trigger listens on "signp".',
  };
  expect(
    renderDelivery({ ...delivery, verdicts: [], problem, responseStatus: 404, outcome: "rejected" }, { paint, now }),
  ).toContain('404 rejected  4 ms\n          No trigger listens on "signp".\n');
});

it("an ended run shows its status, target, duration and the first line of its error", () => {
  const run = {
    runId: "run_1",
    status: "failed" as const,
    trigger: "new-signup",
    deliveryId: null,
    target,
    attempt: 3,
    durationMs: 1400,
    error: "Error: no\nat x",
  };
  expect(renderRunEnded(run, { paint, now })).toBe(
    `${formatLocalTime(now)}  ✗ failed  new-signup → welcome-email  1.40 s  attempt 3  run_1\n          Error: no\n`,
  );
});

it("the start shows the endpoints, and a curl command with a valid body", () => {
  const request = {
    type: "object",
    properties: {
      name: { type: "string" },
      email: { type: "string", format: "email" },
      amount: { type: "integer", minimum: 100 },
      kind: { const: "it's" },
      note: { type: "string" },
    },
    required: ["name", "email", "amount", "kind"],
  };
  const trigger = {
    slug: "new-signup",
    endpoint: "signup",
    attachmentId: "new-signup:welcome-email",
    target,
    file: "",
    module: "",
    hasTransform: false,
    request,
    filter: null,
    headers: null,
    query: null,
    readsRequest: false,
    body: [],
    onMismatch: null,
    reply: null,
    challenges: [],
    methods: ["POST" as const],
    verify: null,
    dedupe: null,
    rateLimit: null,
    prompt: null,
    key: null,
  };
  const manifest: Manifest = {
    format: 1,
    version: "9f31c2ab",
    builtAt: "",
    name: "hooks",
    folder: "",
    sources: "",
    settings: {},
    triggers: [trigger],
    workflows: [],
    agents: [],
    environment: { reads: [], readsAny: false, secrets: [] },
  };
  const localUrl = "http://127.0.0.1:3002";
  const store = "SQLite .signalbox/signalbox.db";
  expect(renderReady({ url: localUrl, localUrl, store, manifest, paint, isDevelopment: true })).toBe(`
hooks 9f31c2ab in development on http://127.0.0.1:3002
Store: SQLite .signalbox/signalbox.db

  POST /triggers/signup  new-signup → welcome-email

Try it:
  curl http://127.0.0.1:3002/triggers/signup -H 'content-type: application/json' -d '{"name":"text","email":"ada@example.com","amount":100,"kind":"it'\\''s"}'

`);
  const ofSlack: Manifest["triggers"][number] = {
    ...trigger,
    endpoint: "slack",
    body: [{ type: "form", field: null, bigints: "number" }],
    request: { type: "object", properties: { text: { type: "string", const: "a b" } }, required: ["text"] },
    headers: { type: "object", properties: { "x-event": { const: "it's" } }, required: ["x-event"] },
  };
  const asForm = { ...manifest, triggers: [ofSlack] };
  expect(renderReady({ url: localUrl, localUrl, store, manifest: asForm, paint, isDevelopment: true })).toContain(
    String.raw`  curl http://127.0.0.1:3002/triggers/slack -H 'content-type: application/x-www-form-urlencoded' -H 'x-event: it'\''s' -d 'text=a+b'`,
  );
  const withFiles = { ...manifest, triggers: [{ ...ofSlack, body: [{ type: "multipart" as const }] }] };
  expect(
    renderReady({ url: localUrl, localUrl, store, manifest: withFiles, paint, isDevelopment: true }),
  ).not.toContain("curl");
  const withQuery = {
    ...manifest,
    triggers: [
      {
        ...trigger,
        request: { type: "object" },
        query: { type: "object", properties: { topic: { const: "a b" } }, required: ["topic"] },
      },
    ],
  };
  expect(renderReady({ url: localUrl, localUrl, store, manifest: withQuery, paint, isDevelopment: true })).toContain(
    "  curl 'http://127.0.0.1:3002/triggers/signup?topic=a+b' -H ",
  );
  const onGet = { ...manifest, triggers: [{ ...ofSlack, headers: null, methods: ["GET" as const] }] };
  const ready = renderReady({ url: localUrl, localUrl, store, manifest: onGet, paint, isDevelopment: true });
  expect(ready).toContain("  GET /triggers/slack  new-signup → welcome-email\n");
  expect(ready).toContain("  curl 'http://127.0.0.1:3002/triggers/slack?text=a+b'\n");
  // Behind a tunnel only local requests need no key; on a network address all requests need one.
  const behindTunnel = renderReady({
    url: "https://dev.example.com",
    localUrl,
    store,
    manifest,
    paint,
    isDevelopment: true,
  });
  expect(behindTunnel).toContain("in development on https://dev.example.com\n");
  expect(behindTunnel).toContain("curl http://127.0.0.1:3002/triggers/signup ");
  expect(
    renderReady({
      url: "http://192.168.1.5:3002",
      localUrl: "http://192.168.1.5:3002",
      store,
      manifest,
      paint,
      isDevelopment: true,
    }),
  ).not.toContain("curl");
});

it("a project is described by its counts, with agents only if it has some", () => {
  const none: Manifest = {
    format: 1,
    version: "9f31c2ab",
    builtAt: "",
    name: "hooks",
    folder: "",
    sources: "",
    settings: {},
    triggers: [],
    workflows: [],
    agents: [],
    environment: { reads: [], readsAny: false, secrets: [] },
  };
  expect(countText(none)).toBe("0 triggers, 0 workflows");
  const triage = manifestAgentSchema.parse({
    slug: "triage",
    file: "",
    module: "",
    input: {},
    output: null,
    retries: { attempts: 1, backoff: "fixed", initialMs: 0, maxMs: 0 },
    timeoutMs: 1,
    model: { provider: "openai", modelId: "gpt-5-mini" },
    instructions: "Sort.",
    tools: [],
    callTimeoutMs: 1,
  });
  expect(countText({ ...none, agents: [triage] })).toBe("0 triggers, 0 workflows, 1 agent");
});

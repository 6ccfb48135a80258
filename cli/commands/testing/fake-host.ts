import { Readable } from "node:stream";
import type { DeliverySummary } from "../../../server/contract/delivery.ts";
import { createApiClient } from "../../api/api-client.ts";
import { createPaint, type Output } from "../../terminal/terminal.ts";
import { runCli } from "../run-cli.ts";

export type FakeRoute = (request: { query: URLSearchParams; body: unknown }) => unknown;

/** Runs one command line in this process with fake REST responses, by `GET /path`. */
export async function runFakeCli(
  argv: string[],
  { routes, stdin, cwd }: { routes?: Record<string, FakeRoute>; stdin?: string; cwd?: string } = {},
) {
  const out = fakeOutput();
  const err = fakeOutput();
  const asked: string[] = [];
  const transport = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    const name = `${request.method} ${pathname.replace("/api/v1", "")}`;
    asked.push(name + (searchParams.size > 0 ? `?${searchParams}` : ""));
    const route = routes?.[name];
    if (!route)
      return Response.json(
        { type: "/errors/not_found", title: "", status: 404, code: "not_found", detail: `There is no ${name}.` },
        { status: 404 },
      );
    const body: unknown = request.method === "POST" ? JSON.parse((await request.text()) || "null") : null;
    const answer = route({ query: searchParams, body });
    return answer instanceof Response ? answer : Response.json(answer);
  };
  const exitCode = await runCli(argv, {
    terminal: { out: out.output, err: err.output },
    cwd: cwd ?? "/nowhere",
    stdin: Readable.from([stdin ?? ""]),
    now: () => Date.parse("2026-11-21T10:00:00Z"),
    openApi: async () => ({ client: createApiClient(transport), close: async () => {} }),
  });
  return { exitCode, stdout: out.text(), stderr: err.text(), asked };
}

function fakeOutput(): { output: Output; text(): string } {
  let text = "";
  return {
    output: { write: (more) => (text += more), paint: createPaint(false), hasColor: false, isTerminal: false },
    text: () => text,
  };
}

export const fakeTrigger = {
  slug: "new-signup",
  endpoint: "signup",
  attachmentId: "new-signup:welcome-email",
  target: { kind: "workflow", slug: "welcome-email" },
  file: "triggers/new-signup.ts",
  hasTransform: true,
  example: { name: "Ada" },
  request: { type: "object" },
  filter: null,
  headers: null,
  query: null,
  body: [{ type: "json", bigints: "number" }],
  verify: null,
  dedupe: null,
  rateLimit: null,
  onMismatch: null,
  reply: null,
  challenges: [],
  methods: ["POST"],
  prompt: null,
  key: null,
  disabled: null,
  path: "/triggers/signup",
};

export const fakeRun = {
  id: "run_01K9ZR7M3QD4V8XN2T5B6C7E8F",
  status: "failed",
  trigger: "new-signup",
  attachmentId: "new-signup:welcome-email",
  target: { kind: "workflow", slug: "welcome-email" },
  deliveryId: "dlv_01K9ZR7M3QD4V8XN2T5B6C7E8F",
  startedBy: "webhook",
  replayOf: null,
  failureOf: null,
  childOf: null,
  key: null,
  replayedAs: null,
  tokens: null,
  costUsd: null,
  version: "9f31c2ab",
  attempt: 3,
  maxAttempts: 3,
  error: { name: "Error", message: "the mail server said no" },
  createdAt: "2026-11-21T09:57:00.000Z",
  resumedAt: null,
  startedAt: "2026-11-21T09:57:01.000Z",
  finishedAt: "2026-11-21T09:57:02.400Z",
} as const;

/** A delivery that no trigger has evaluated yet. */
export const fakeDelivery: DeliverySummary = {
  id: "dlv_1",
  endpoint: "signup",
  receivedAt: "2026-11-21T10:00:00.000Z",
  method: "POST",
  headers: {},
  bodyBytes: 2,
  bodySha256: null,
  outcome: "accepted",
  responseStatus: 202,
  problem: null,
  verdicts: [],
  unlistedVerdicts: [],
  durationMs: 4,
  redeliveryOf: null,
};

export const fakeAlert = {
  id: "alt_01K9ZR7M3QD4V8XN2T5B6C7E8F",
  kind: "run_failed",
  subject: "workflow:welcome-email",
  status: "active",
  title: "12 runs of workflow welcome-email failed",
  count: 12,
  path: "/runs?status=failed&target=welcome-email",
  detail: {},
  openedAt: "2026-11-21T09:57:00.000Z",
  lastAt: "2026-11-21T09:58:00.000Z",
  resolvedAt: null,
  messages: [
    {
      id: "msg_01K9ZR7M3QD4V8XN2T5B6C7E8F",
      type: "alert.opened",
      destination: "webhook",
      status: "pending",
      attempts: 1,
      createdAt: "2026-11-21T09:57:15.000Z",
      sentAt: null,
      error: "status 500",
    },
  ],
} as const;

export const fakeKey = {
  id: "key_01K9ZR7M3QD4V8XN2T5B6C7E8F",
  kind: "webhook",
  name: "github",
  hint: "sbk_C5Nv…",
  endpoints: ["signup"],
  scope: null,
  createdAt: "2026-11-20T10:00:00.000Z",
  expiresAt: "2027-02-18T10:00:00.000Z",
  lastUsedAt: null,
  revokedAt: null,
  replacedBy: null,
  ownerId: null,
} as const;

export const fakePerson = {
  id: "per_01K9ZR7M3QD4V8XN2T5B6C7E8F",
  name: "Ada",
  email: "ada@example.com",
  role: "admin",
  createdAt: "2026-11-20T10:00:00.000Z",
  lastSeenAt: null,
};

export const fakeInvitation = {
  id: "inv_01K9ZR7M3QD4V8XN2T5B6C7E8F",
  kind: "invitation",
  role: "viewer",
  note: "Ada",
  personId: null,
  createdBy: "machine",
  createdAt: "2026-11-20T10:00:00.000Z",
  expiresAt: "2026-11-27T10:00:00.000Z",
  url: "https://hooks.example.com/invite/token",
};

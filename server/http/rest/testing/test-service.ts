import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Json, jsonSchema } from "../../../contract/json.ts";
import { createApiAuthenticator } from "../../../auth/authenticate/api-authenticator.ts";
import { createWebhookAuthenticator } from "../../../auth/keys/check-key.ts";
import { createKey } from "../../../auth/keys/manage-keys.ts";
import { machineContext } from "../../../auth/access/audit-context.ts";
import { createKeyCipher } from "../../../auth/keys/service-secret.ts";
import { createRequestSlots } from "../../../auth/limits/request-slots.ts";
import type { Mode } from "../../../config.ts";
import type { Scope } from "../../../contract/access/scope.ts";
import type { Manifest } from "../../../contract/project/manifest.ts";
import { hasTarget } from "../../../contract/project/target.ts";
import type { Faker } from "../../../domain/privacy/fake-value.ts";
import { createBodyBudget } from "../../../domain/requests/request-body.ts";
import { keyOfRun } from "../../../domain/runs/run-key.ts";
import { newId } from "../../../domain/ids.ts";
import type { Builds } from "../../../ports/builds.ts";
import type { ProjectSources } from "../../../ports/project.ts";
import type { Identity } from "../../../ports/identity.ts";
import { createMasking } from "../../../masking/masked-store.ts";
import { createMaskReader } from "../../../masking/read-masks.ts";
import { planRun, evaluateTriggers } from "../../../matching/match-triggers.ts";
import { createReceiver } from "../../../ingest/receive.ts";
import { readDueWork } from "../../../ports/due-work.ts";
import { createThrottledLogger, silentLogger } from "../../../ports/logger.ts";
import type { InputChecks } from "../../../ports/input-checks.ts";
import { evaluateInput } from "../../../project/evaluate-input.ts";
import { openSqliteStore } from "../../../store/sqlite/open-store.ts";
import { createMetrics } from "../metrics/create-metrics.ts";
import { createRestApp } from "../rest-app.ts";
import type { RestDeps } from "../rest-deps.ts";
import { checkAnswer, isJson } from "./check-answer.ts";
import { fixtureCode, projectFixture } from "./project-fixture.ts";

export type TestService = Awaited<ReturnType<typeof openTestService>>;

/**
 * The REST app over a real store of its own, which is removed when the test has finished. Every response is checked
 * against the OpenAPI document.
 */
export async function openTestService(
  p: {
    mode?: Mode;
    maxBodyBytes?: number;
    secret?: string;
    baseUrl?: string;
    retention?: Partial<RestDeps["retention"]>;
    /** Replaces sensitive values. Default: by fakes. */
    faker?: Faker;
  } = {},
) {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-api-"));
  const store = await openSqliteStore({ file: join(dir, "test.db"), logger: silentLogger });
  onTestFinished(async () => {
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const state = {
    now: Date.parse("2026-11-21T10:00:00Z"),
    sources: projectFixture(),
    code: fixtureCode,
    queued: 0,
    canceled: [] as string[],
    builds: [] as Manifest[],
    /** Of builds whose sources differ from the current ones. */
    sourcesOfBuilds: new Map<string, ProjectSources>(),
    loads: 0,
    log: [] as string[],
  };
  const note = (message: string, fields?: Record<string, unknown>) =>
    void state.log.push(`${message} ${JSON.stringify(fields)}`);
  const logger = createThrottledLogger({ debug: note, info: note, warn: note, error: note });
  const sessionSecret = "a session secret of many characters";
  const stopping = new AbortController();
  const mode = p.mode ?? "development";
  const clock = { now: () => state.now };
  let identity: Promise<Identity> | null = null;
  const loadIdentity = async () =>
    (await import("../../../identity/create-identity.ts")).createIdentity({
      rows: store,
      baseUrl: "https://hooks.example.com",
      secret: sessionSecret,
      oidc: null,
    });
  const project = { current: () => state.sources };
  const signals = {
    runsQueued: () => void state.queued++,
    cancelRequested: (id: string) => void state.canceled.push(id),
    buildChanged: () => void state.loads++,
  };
  const builds: Builds = {
    list: async () =>
      state.builds.map(({ version: id, builtAt }) => ({
        id,
        builtAt,
        isCurrent: id === state.sources.manifest.version,
      })),
    read: async (id) => state.builds.find(({ version }) => version === id) ?? null,
    async loadSources(id) {
      const manifest = await builds.read(id);
      return manifest && { ...state.sources, ...state.sourcesOfBuilds.get(id), manifest };
    },
    async makeCurrent(id) {
      const manifest = state.builds.find(({ version }) => version === id);
      if (!manifest || manifest.sources === "damaged") throw new Error("It is damaged.");
      state.sources = { ...state.sources, manifest };
    },
  };
  const maxBodyBytes = p.maxBodyBytes ?? 100_000;
  const readMasks = createMaskReader({
    current: () => state.sources.manifest,
    builds,
    secret: "a secret of sixteen characters",
  });
  const masking = createMasking(store, async () => {
    const masks = await readMasks();
    return masks && p.faker ? { ...masks, faker: p.faker } : masks;
  });
  const common = {
    store: masking.masked,
    originals: masking.originals,
    masking,
    project,
    builds,
    inputs: { check: (question) => evaluateInput(state.code, question) } satisfies InputChecks,
    signals,
    clock,
    logger,
    mode,
    maxBodyBytes,
    bodies: createBodyBudget(maxBodyBytes),
  };
  const deps: RestDeps & { identity: () => Promise<Identity> } = {
    ...common,
    identity: () => (identity ??= loadIdentity()),
    takeSlot: createRequestSlots(),
    alerts: null,
    retention: { days: null, deliveries: null, maxSize: null, auditDays: null, ...p.retention },
    baseUrl: () => p.baseUrl ?? "https://hooks.example.com",
    cipher: createKeyCipher(p.secret ?? "a secret of sixteen characters or more"),
    authenticate: createApiAuthenticator({ ...common, sessionSecret }),
    metrics: createMetrics({
      store,
      isDeclared: (endpoint) => state.sources.byEndpoint.has(endpoint),
      readWork: () => readDueWork({ store, manifest: state.sources.manifest, now: clock.now() }),
    }),
    stopping: stopping.signal,
    answerMcp: async (...request) => (await import("../../../mcp/answer-http.ts")).answerMcpRequest(...request),
    receive: createReceiver({
      ...common,
      authenticate: createWebhookAuthenticator({ store, mode, clock }),
      disabledTriggers: () => store.listDisabledTriggers(),
      isShuttingDown: () => stopping.signal.aborted,
    }),
  };
  const app = createRestApp(deps);
  return { ...deps, deps, app, state, stop: () => stopping.abort(), ...caller(app) };
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json: Json;
}

function caller(app: { fetch(request: Request): Promise<Response> }) {
  const send = async (
    method: string,
    path: string,
    options: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<Answer> => {
    const response = await app.fetch(
      new Request(`http://localhost:3002${path}`, {
        method,
        headers: options.headers ?? {},
        body: options.body ?? null,
      }),
    );
    const text = await response.text();
    const contentType = response.headers.get("content-type") ?? "";
    checkAnswer({ method, path: path.split("?")[0] ?? "", status: response.status, contentType, body: text });
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson(contentType) && text ? jsonSchema.parse(JSON.parse(text)) : null,
    };
  };
  return {
    send,
    get: (path: string, headers: Record<string, string> = {}) => send("GET", path, { headers }),
    post: (path: string, body?: Json, headers: Record<string, string> = {}) =>
      send(
        "POST",
        path,
        body === undefined
          ? { headers }
          : { body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } },
      ),
  };
}

/** A webhook as the receiver would have recorded it, with the runs that it started. */
export async function deliver(
  service: TestService,
  p: { endpoint: string; body: string; keyId?: string; headers?: Record<string, string> },
) {
  const { store, state } = service;
  const { manifest, byEndpoint } = state.sources;
  const id = newId("dlv", state.now);
  const triggers = byEndpoint.get(p.endpoint) ?? [];
  const evaluated = evaluateTriggers(triggers, jsonSchema.parse(JSON.parse(p.body)));
  const runs = evaluated.flatMap(({ verdict, payload }) => {
    const trigger = triggers.find(({ attachmentId }) => attachmentId === verdict.attachmentId);
    if (verdict.outcome !== "matched" || !trigger || !hasTarget(trigger)) return [];
    return [
      planRun({
        manifest,
        trigger,
        payload,
        now: state.now,
        startedBy: "webhook",
        deliveryId: id,
        replayOf: null,
        keyId: p.keyId ?? null,
        key: keyOfRun(trigger.key, { payload, headers: p.headers ?? null }),
      }),
    ];
  });
  const body = Buffer.from(p.body);
  await store.acceptDelivery({
    delivery: {
      id,
      endpoint: p.endpoint,
      receivedAt: state.now,
      method: "POST",
      headers: p.headers ?? { "content-type": "application/json" },
      body,
      bodyBytes: body.length,
      bodySha256: createHash("sha256").update(body).digest("hex"),
      outcome: runs.length > 0 ? "accepted" : "skipped",
      responseStatus: runs.length > 0 ? 202 : 200,
      problem: null,
      unlistedVerdicts: [],
      verdicts: evaluated.map(({ verdict }) => ({
        ...verdict,
        runId: runs.find(({ attachmentId }) => attachmentId === verdict.attachmentId)?.id ?? null,
      })),
      durationMs: 1,
      keyId: p.keyId ?? null,
      redeliveryOf: null,
    },
    runs,
    idempotency: null,
  });
  return { deliveryId: id, runs };
}

export const paidBody = '{ "type": "invoice.paid",\n "amount": 12.50 }';

/** Changes a queued run as a worker does. */
export async function executeRuns(
  service: TestService,
  end: Parameters<TestService["store"]["writeProgress"]>[0]["transition"] = { to: "completed", output: { ok: true } },
) {
  const { store, state } = service;
  const claimed = await store.claimRuns({
    slots: Array.from({ length: 100 }, () => "wrk_1"),
    now: state.now,
    leaseMs: 60_000,
    limits: new Map(),
    pool: "shared",
  });
  for (const { id, token, attempt } of claimed) {
    const entries = [
      { at: state.now, kind: "log" as const, attempt, level: "info" as const, message: "hello" },
      ...(end && end.to !== "waiting" && end.to !== "queued" ? [{ at: state.now, kind: end.to, attempt }] : []),
    ];
    await store.writeProgress({ runId: id, token, now: state.now, entries, ...(end ? { transition: end } : {}) });
  }
  return claimed;
}

/** `personId`: the owner of the token. */
export async function makeKey(
  service: TestService,
  p: { kind: "webhook" | "api"; endpoints?: string[]; scope?: Scope; expiresAt?: number },
  personId: string | null = null,
) {
  return createKey(
    service,
    {
      kind: p.kind,
      name: "test",
      endpoints: p.endpoints ?? null,
      scope: p.kind === "api" ? (p.scope ?? "admin") : null,
      expiresAt: p.expiresAt ?? null,
    },
    { ...machineContext, personId },
  );
}

export const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

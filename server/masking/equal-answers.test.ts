import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import { hmac } from "../../sdk/verify/hmac.ts";
import { requestOf } from "../../sdk/verify/testing/senders.ts";
import { exportSchema } from "../../cli/build/schema/export.ts";
import { operations } from "../auth/access/operations.ts";
import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import { toProblem } from "../domain/problem.ts";
import { parseBody } from "../domain/requests/body-format.ts";
import type { ClaimedRun } from "../ports/store/engine-store.ts";
import type { NewRun } from "../ports/store/new-run.ts";
import { aClaim, aDelivery, aRun } from "../store/testing/factories.ts";
import { hidingFaker } from "../domain/privacy/fake-value.ts";
import { bearer, deliver, makeKey, openTestService, type TestService } from "../http/rest/testing/test-service.ts";

/** What is sensitive in one delivery. Both stores get values of the same lengths, because sizes are shown. */
interface Secrets {
  name: string;
  mail: string;
  pin: number;
  key: string;
}

const sensitive = { sensitive: true };
const marked = {
  request: exportSchema(
    z.object({
      name: z.string().meta(sensitive),
      email: z.string().meta(sensitive),
      pin: z.number().meta(sensitive),
      tags: z.record(z.string(), z.number()).meta(sensitive),
    }),
  ),
  headers: exportSchema(z.object({ "x-customer": z.string().meta(sensitive) })),
  query: exportSchema(z.object({ customer: z.string().meta(sensitive) })),
};

const letters = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."abcdeXYZ"), minLength: length, maxLength: length });
const secrets = fc.record({
  name: letters(8),
  mail: letters(6),
  pin: fc.integer({ min: 1_000, max: 9_999 }),
  key: letters(8),
});
/** The same deliveries twice, with other sensitive values. */
const twins = fc.array(fc.tuple(secrets, secrets), { minLength: 3, maxLength: 6 });

/** A workflow whose input and output are sensitive. */
const vault = {
  input: exportSchema(z.object({ card: z.string().meta(sensitive) })),
  output: exportSchema(z.object({ token: z.string().meta(sensitive) })),
};

async function openMarked() {
  const service = await openTestService({ mode: "deployed", faker: hidingFaker });
  const { manifest } = service.state.sources;
  const triggers = manifest.triggers.map((trigger) =>
    trigger.slug === "new-signup" ? { ...trigger, ...marked } : trigger,
  );
  const [workflow] = manifest.workflows;
  if (!workflow) throw new Error("The fixture has a workflow.");
  const workflows = [...manifest.workflows, { ...workflow, slug: "vault", ...vault }];
  service.state.sources = { ...service.state.sources, manifest: { ...manifest, triggers, workflows } };
  return service;
}

/** Deliveries with and without sensitive values, and their runs, which repeat them in steps, outputs and errors. */
async function fill(service: TestService, all: readonly Secrets[]) {
  const { store, state } = service;
  const ids = { deliveries: [] as string[], runs: [] as string[], family: [] as string[] };
  for (const [at, { name, mail, pin, key }] of all.entries()) {
    state.now += 60_000;
    const email = `${mail}@example.com`;
    const body = JSON.stringify({ name, email, pin, tags: { [key]: 1 }, note: `visible ${at % 2}` });
    const hashOf = (algorithm: string) => createHash(algorithm).update(body).digest("base64");
    const headers = {
      "content-type": "application/json",
      "x-customer": name,
      "signalbox-rounded-numbers": `["/tags/${key}"]`,
      "content-digest": `sha-256=:${hashOf("sha256")}:`,
      "content-md5": hashOf("md5"),
    };
    const signup = await deliver(service, { endpoint: "signup", body, headers });
    const paid = await deliver(service, {
      endpoint: "billing",
      body: JSON.stringify({ type: "invoice.paid", amount: at, note: "visible 1" }),
    });
    ids.deliveries.push(await reject(service, key), await rejectSignature(service, name));
    for (const { deliveryId, runs } of [signup, paid]) {
      ids.deliveries.push(deliveryId);
      ids.runs.push(...runs.map(({ id }) => id));
    }
    for (const { id, token, target } of await store.claimRuns({
      slots: ["wrk_1", "wrk_1", "wrk_1"],
      now: state.now,
      leaseMs: 60_000,
      limits: new Map(),
      pool: "shared",
    })) {
      if (target.slug !== "welcome-email" && at === 0) {
        const payload = { name, email, pin, tags: { [key]: 1 } };
        await waitForSignup(service, { id, token, deliveryId: signup.deliveryId, payload });
        continue;
      }
      if (target.slug !== "welcome-email") {
        await store.writeProgress({
          runId: id,
          token,
          now: state.now,
          entries: [],
          transition: { to: "completed", output: at },
        });
        continue;
      }
      const step = { name: `mail ${name}`, kind: "step" as const, attempt: 1, until: null, result: { to: email } };
      await store.writeProgress({
        runId: id,
        token,
        now: state.now,
        entries: [{ at: state.now, kind: "log", attempt: 1, level: "info", message: `greets ${name}` }],
        steps: [{ ...step, startedAt: state.now, finishedAt: state.now, sequence: 1 }],
        transition:
          at % 2 === 0
            ? { to: "completed", output: { to: email } }
            : { to: "failed", error: { name: `No${name}`, message: `${name} of ${email}`, stack: `Error: ${name}` } },
      });
    }
    if (at === 0) ids.family = await addFamilies(service, { name, mail, pin, key }, signup.deliveryId);
  }
  return ids;
}

type Place = Partial<Pick<NewRun, "replayOf" | "failureOf">> & { of?: string };

/**
 * Runs that call others. Only one run of each family has sensitive fields, and the others have its values: as its
 * children, its parents, or beside it.
 */
async function addFamilies(
  service: TestService,
  { name, mail, pin, key }: Secrets,
  deliveryId: string,
): Promise<string[]> {
  const { store, state } = service;
  const email = `${mail}@example.com`;
  const ids: string[] = [];
  const claims = new Map<string, ClaimedRun>();
  const start = async (slug: string, input: Json, { of, ...more }: Place = {}) => {
    state.now += 1;
    const child = of === undefined ? undefined : { of, step: `call ${ids.length}`, link: "call" as const, depth: 1 };
    const ofNothing = { trigger: null, attachmentId: null, deliveryId: null, payload: null };
    const run = aRun({ ...ofNothing, target: { kind: "workflow", slug }, createdAt: state.now, input, ...more });
    await store.createRuns([{ ...run, ...(child && { child, startedBy: "parent" as const }) }]);
    for (const claimed of await store.claimRuns(aClaim({ now: state.now, limit: 10 }))) claims.set(claimed.id, claimed);
    ids.push(run.id);
    return run.id;
  };
  const end = async (id: string, output: Json, children: readonly string[] = []) => {
    state.now += 1;
    const { token } = claims.get(id) ?? { token: "" };
    // A number of 4 digits is masked as a value only.
    const text = Object.values(output ?? {})
      .filter((value) => typeof value === "string")
      .join(" of ");
    const step = { kind: "child" as const, attempt: 1, startedAt: state.now, finishedAt: state.now, until: null };
    const { held } = await store.writeProgress({
      runId: id,
      token,
      now: state.now,
      entries: [{ at: state.now, kind: "log", attempt: 1, level: "info", message: `has ${text}` }],
      steps: children.map((runId, at) => ({
        ...step,
        name: `call ${at}`,
        result: { runId, status: "completed", output },
        sequence: at + 1,
      })),
      transition:
        children.length > 0 || ids.length % 2 === 0
          ? { to: "completed", output }
          : { to: "failed", error: { name: "Error", message: text, stack: `Error: ${text}` } },
    });
    expect(held).toBe(true);
  };

  const parent = await start("notify", {});
  const charged = await start("vault", { card: name }, { of: parent });
  await end(charged, { token: email });
  const beside = await start("notify", { paid: email, by: name }, { of: parent });
  await end(beside, { paid: email, by: name });
  const between = await start("notify", {}, { of: parent });
  const below = await start("vault", { card: key }, { of: between });
  await end(below, { token: key });
  await end(between, { deep: key }, [below]);
  const waiting = await start("notify", {}, { of: parent });
  const payload = { name, email, pin, tags: { [key]: 1 } };
  const { token } = claims.get(waiting) ?? { token: "" };
  await waitForSignup(service, { id: waiting, token, deliveryId, payload });
  await end(parent, { token: email, deep: key, of: pin }, [charged, beside, between, waiting]);
  await end(await start("notify", { paid: email, by: name }, { replayOf: beside }), { by: name, pin });
  await end(await start("notify", { paid: email }, { failureOf: beside }), { email, pin });

  const top = await start("vault", { card: name });
  const child = await start("notify", { card: name }, { of: top });
  const grandchild = await start("notify", { card: name }, { of: child });
  await end(grandchild, { card: name });
  await end(child, { card: name }, [grandchild]);
  await end(top, { token: email }, [child]);
  return ids;
}

/** The run of another trigger gets the event of a sensitive source, and repeats what is in it. */
async function waitForSignup(
  { store, state }: TestService,
  run: { id: string; token: string; deliveryId: string; payload: Record<string, Json> },
): Promise<void> {
  const { id: runId, deliveryId, payload } = run;
  const until = state.now + 60_000;
  const wait = { step: "signup", branch: "", source: "new-signup", match: {}, since: 0, until };
  const step = { name: "signup", kind: "event" as const, attempt: 1, startedAt: state.now, until, sequence: null };
  await store.writeProgress({
    runId,
    token: run.token,
    now: state.now,
    entries: [],
    steps: [{ ...step, finishedAt: null, result: { usedMs: 1 } }],
    waits: [wait],
    transition: { to: "waiting", reason: "sleep", availableAt: until },
  });
  const event = { source: "new-signup", payload, deliveryId, receivedAt: state.now };
  expect(await store.deliverEvent({ runId, step: "signup", branch: "", event, now: state.now })).toBe(true);
  const [again] = await store.claimRuns({
    slots: ["wrk_1"],
    now: state.now,
    leaseMs: 60_000,
    limits: new Map(),
    pool: "shared",
  });
  if (!again) throw new Error("The run was to be due.");
  await store.writeProgress({
    runId,
    token: again.token,
    now: state.now,
    entries: [{ at: state.now, kind: "log", attempt: 1, level: "info", message: `has ${String(payload["name"])}` }],
    transition: { to: "completed", output: { to: payload["email"] ?? null, all: payload } },
  });
}

/** A delivery that is not accepted because of numbers under a name that is data. */
async function reject({ store, state }: TestService, key: string): Promise<string> {
  const body = Buffer.from(`{"tags":[{"${key}":1e999}]}`);
  const format = { type: "json", bigints: "number" } as const;
  const delivery = aDelivery({ receivedAt: state.now, body, outcome: "rejected", responseStatus: 400 });
  try {
    parseBody(body, { format, contentType: "application/json", deliveryId: delivery.id });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await store.recordDelivery({ ...delivery, problem: toProblem(error) });
  }
  return delivery.id;
}

/** A delivery whose signature covers the URL, with a query that is sensitive. */
async function rejectSignature({ store, state }: TestService, customer: string): Promise<string> {
  const query = `customer=${customer}`;
  const url = `https://hooks.example.com/triggers/signup?${query}`;
  const verification = hmac({
    secret: "0123456789abcdef0123456789abcdef",
    header: "x-signature",
    signedContent: "{url}{body}",
  });
  const body = Buffer.from("{}");
  const fault = verification.check(requestOf({ "x-signature": "00".repeat(32) }, body, 0, { url }));
  const problem = toProblem(new AppError("invalid_signature", z.object({ detail: z.string() }).parse(fault).detail));
  const delivery = aDelivery({ receivedAt: state.now, body, outcome: "rejected", responseStatus: 401 });
  const headers = { "signalbox-request-url": url, "signalbox-query": query };
  await store.recordDelivery({ ...delivery, headers, problem });
  return delivery.id;
}

/** What a reader may try: the values of both stores, parts of them, and text that is shown. */
function guessesOf(all: readonly (readonly [Secrets, Secrets])[]): string[] {
  const of = ({ name, mail, pin, key }: Secrets) => [name, name.slice(1, 4), mail, String(pin), key, `"pin":${pin}`];
  return [...new Set(all.slice(0, 2).flatMap(([one, other]) => [...of(one), ...of(other)])), "visible", "masked", "1"];
}

/** The paths of every operation that a token with the scope `read` may call with GET. */
function pathsOf(
  guess: string,
  { deliveries, runs, family }: Awaited<ReturnType<typeof fill>>,
): Record<string, string[]> {
  const text = encodeURIComponent(guess);
  const [delivery = ""] = deliveries;
  const some = [...runs.slice(0, 2), ...family];
  const now = "2026-11-21T11:00:00Z";
  return {
    listDeliveries: [`/deliveries?text=${text}&limit=2`, `/deliveries?text=${text}`, "/deliveries?endpoint=signup"],
    exportDeliveries: [`/deliveries/export?text=${text}`],
    getDelivery: deliveries.slice(0, 2).map((id) => `/deliveries/${id}`),
    explainDelivery: [`/deliveries/${delivery}/verdicts`],
    getDeliveryFile: [`/deliveries/${delivery}/files/0`],
    listRuns: [
      `/runs?text=${text}&limit=2`,
      `/runs?text=${text}&status=failed`,
      "/runs?trigger=new-signup&limit=1",
      `/runs?childOf=${family[0]}`,
    ],
    countRuns: [`/runs/count?text=${text}`, `/runs/count?text=${text}&target=welcome-email`],
    sumUsage: [`/runs/usage?text=${text}`],
    simulateFlow: ["/flow/simulation?target=welcome-email&perKey=1&onFailure=block"],
    exportRuns: [`/runs/export?format=jsonl&text=${text}`, `/runs/export?format=csv&text=${text}`],
    getRun: some.map((id) => `/runs/${id}`),
    listTimeline: some.map((id) => `/runs/${id}/timeline`),
    listSteps: [
      ...some.map((id) => `/runs/${id}/steps`),
      ...runs.slice(0, 2).map((id) => `/runs/${id}/steps?name=${encodeURIComponent(`mail ${guess}`)}`),
    ],
    getAgentTrace: [`/runs/${some[0]}/agent`],
    listTriggers: ["/triggers"],
    inferTrigger: ["/inferred-trigger?endpoint=signup", `/inferred-trigger?endpoint=signup&delivery=${delivery}`],
    readDrift: ["/drift", "/drift?endpoint=signup"],
    backtest: ["/backtest", "/backtest?endpoint=signup&trigger=new-signup"],
    listBuilds: ["/builds"],
    listAlerts: ["/alerts"],
    getAccess: ["/access"],
    // What it counts has no values. Its times are those of the process.
    metrics: [],
    // Ends when the run ends.
    streamRunEvents: [],
    // By the page that shows a histogram. The text is not counted.
    showHistogram: [`/deliveries?until=${now}&limit=3`],
  };
}

/** The answer and all pages after it. */
async function readAll(service: TestService, path: string, headers: Record<string, string>): Promise<string[]> {
  const answers: string[] = [];
  for (let cursor: string | null = null, pages = 0; pages < 30; pages += 1) {
    const next = cursor === null ? "" : `${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
    const { status, text, json } = await service.get(`/api/v1${path}${next}`, headers);
    answers.push(`${status} ${text}`);
    const page = z.object({ nextCursor: z.string().nullable() }).safeParse(json);
    if (!page.success || page.data.nextCursor === null) return answers;
    cursor = page.data.nextCursor;
  }
  throw new Error(`${path} has no end.`);
}

/** Ids are random: each is replaced by its number. */
function numbered(text: string, { deliveries, runs, family }: Awaited<ReturnType<typeof fill>>): string {
  const numbers = new Map([...deliveries, ...runs, ...family].map((id, at) => [id, `id-${at}`]));
  return text.replaceAll(/(?:dlv|run)_[0-9A-Z]{26}/g, (id) => numbers.get(id) ?? id);
}

it("two stores that differ only in sensitive values give a reader the same answers, to every request", async () => {
  await fc.assert(
    fc.asyncProperty(twins, async (all) => {
      const [one, other] = await Promise.all(
        ([0, 1] as const).map(async (at) => {
          const service = await openMarked();
          const ids = await fill(
            service,
            all.map((pair) => pair[at]),
          );
          const { secret } = await makeKey(service, { kind: "api", scope: "read" });
          return { service, ids, headers: bearer(secret) };
        }),
      );
      if (!one || !other) throw new Error("There are two stores.");
      const requests = guessesOf(all).flatMap((guess) => {
        const [asked, same] = [one, other].map(({ ids }) => Object.values(pathsOf(guess, ids)).flat());
        return (asked ?? []).map((path, at): [string, string] => [path, same?.[at] ?? ""]);
      });
      for (const [path, same] of new Map(requests)) {
        const answers = await readAll(one.service, path, one.headers);
        const again = await readAll(other.service, same, other.headers);
        expect(numbered(again.join("\n"), other.ids), path).toBe(numbered(answers.join("\n"), one.ids));
      }
    }),
    { numRuns: 2, endOnFailure: true },
  );
});

it("these are all operations that a reader may call with GET", async () => {
  const service = await openTestService();
  const document = z
    .object({ paths: z.record(z.string(), z.object({ get: z.object({ operationId: z.string() }).optional() })) })
    .parse((await service.get("/api/v1/openapi.json")).json);
  const ofReaders = Object.values(document.paths).flatMap(({ get }) => {
    const id = get?.operationId as keyof typeof operations | undefined;
    return id !== undefined && operations[id].access === "read" ? [id] : [];
  });
  const tried = Object.keys(pathsOf("x", { deliveries: [], runs: [], family: [] }));
  expect(ofReaders.filter((id) => !tried.includes(id))).toEqual([]);
});

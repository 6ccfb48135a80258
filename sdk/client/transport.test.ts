import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClient } from "./create-client.ts";
import { ApiError, ConnectionError } from "./errors.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Answer = Response | Error | "nothing";

/** A client whose requests get these answers, and the requests that it sent. */
function scripted(answers: (() => Answer)[], options: { retries?: number; token?: string; url?: string } = {}) {
  const requests: { url: string; init: RequestInit; at: number }[] = [];
  const begin = Date.now();
  const client = createClient({
    url: "https://hooks.example.com/",
    ...options,
    fetch: async (url, init) => {
      requests.push({ url, init, at: Date.now() - begin });
      const answer = (answers[requests.length - 1] ?? answers.at(-1))?.() ?? "nothing";
      if (answer instanceof Error) throw answer;
      if (answer !== "nothing") return answer;
      return new Promise((_, reject) => {
        init.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
      });
    },
  });
  return { client, requests };
}

const headersOf = (init: RequestInit | undefined) => Object.fromEntries(new Headers(init?.headers));
const ok = () => Response.json({ ok: true, runId: "run_1" }, { status: 202 });
const problem =
  (code: string, status: number, headers: Record<string, string> = {}) =>
  () =>
    Response.json(
      { type: `/errors/${code}`, title: "Title", status, code, detail: "What is wrong." },
      { status, headers: { "content-type": "application/problem+json", ...headers } },
    );
const unreachable = () => new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:3000") });

/** The outcome of a call, after as much time as it takes. */
async function settled<T>(call: Promise<T>): Promise<T | Error> {
  const outcome = call.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  await vi.runAllTimersAsync();
  return outcome;
}

describe("a request", () => {
  it("has the token, the body and an idempotency key, and follows no redirect", async () => {
    const { client, requests } = scripted([ok], { token: "sbt_1" });
    await client.start("welcome email", { to: "日本" });
    const [sent] = requests;
    expect(sent?.url).toBe("https://hooks.example.com/api/v1/workflows/welcome%20email/runs");
    expect(sent?.init).toMatchObject({ method: "POST", body: '{"to":"日本"}', redirect: "manual" });
    expect(headersOf(sent?.init)).toEqual({
      accept: "application/json",
      authorization: "Bearer sbt_1",
      "content-type": "application/json",
      "idempotency-key": expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  it("is repeated with the same key after a lost response, and another start has another key", async () => {
    const { client, requests } = scripted([unreachable, problem("web_unavailable", 503), ok]);
    expect(await settled(client.start("ship", {}))).toEqual({ id: "run_1", isRepeat: false });
    await settled(client.start("ship", {}));
    const keys = requests.map(({ init }) => headersOf(init)["idempotency-key"]);
    expect(keys).toHaveLength(4);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(new Set(keys).size).toBe(2);
  });

  it("waits longer before each retry, and at least as long as the service asks for", async () => {
    const { client, requests } = scripted([
      problem("queue_full", 503, { "retry-after": "10" }),
      unreachable,
      unreachable,
      ok,
    ]);
    await settled(client.start("ship", {}));
    const pauses = requests.map(({ at }, index) => at - (requests[index - 1]?.at ?? 0)).slice(1);
    const least = [10_000, 1_000, 2_000];
    expect(pauses).toHaveLength(3);
    pauses.forEach((pause, index) => {
      expect(pause).toBeGreaterThanOrEqual(least[index] ?? 0);
      expect(pause).toBeLessThanOrEqual((least[index] ?? 0) * 1.5 + 1);
    });
  });

  it.each([
    ["a problem that the same request has again", problem("invalid_input", 422), ApiError],
    ["a longer pause than a minute", problem("rate_limited", 429, { "retry-after": "61" }), ApiError],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "/" } }), ConnectionError],
    ["a page of another program", () => new Response("<html>", { status: 404 }), ConnectionError],
    ["a page instead of JSON", () => new Response("<html>", { status: 200 }), ConnectionError],
  ])("is not repeated after %s", async (_, answer, expected) => {
    const { client, requests } = scripted([answer]);
    expect(await settled(client.getRun("run_1"))).toBeInstanceOf(expected);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ["no connection", unreachable],
    ["a gateway without a service", () => new Response("<html>", { status: 502 })],
    ["a body that ends early", () => new Response('{"id":', { headers: { "content-type": "application/json" } })],
  ])("is repeated after %s, as often as `retries` allows", async (_, answer) => {
    const { client, requests } = scripted([answer], { retries: 2 });
    expect(await settled(client.getRun("run_1"))).toBeInstanceOf(ConnectionError);
    expect(requests).toHaveLength(3);
  });

  it("that cancels a run is repeated only if the service did nothing", async () => {
    const lost = scripted([unreachable, ok]);
    expect(await settled(lost.client.cancelRun("run_1"))).toBeInstanceOf(ConnectionError);
    expect(lost.requests).toHaveLength(1);
    const busy = scripted([problem("store_unavailable", 503), ok]);
    expect(await settled(busy.client.cancelRun("run_1"))).toEqual({ ok: true, runId: "run_1" });
  });

  it("ends after its timeout, and after the time for which it waits for a run", async () => {
    const { client, requests } = scripted([() => "nothing"], { retries: 0 });
    const error = await settled(client.getRun("run_1"));
    expect([error, requests[0]?.init.signal?.aborted]).toEqual([
      new ConnectionError("https://hooks.example.com has not responded within 30 seconds."),
      true,
    ]);
    expect(await settled(client.waitFor("run_1"))).toEqual(
      new ConnectionError("https://hooks.example.com has not responded within 55 seconds."),
    );
  });

  it("rejects with the reason of its signal, also during a pause", async () => {
    for (const answer of [() => "nothing" as const, unreachable]) {
      const { client } = scripted([answer]);
      const controller = new AbortController();
      const outcome = client.getRun("run_1", { signal: controller.signal }).catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(10);
      controller.abort("stop");
      expect(await outcome).toBe("stop");
    }
  });
});

describe("an error", () => {
  it("has the fields of the problem, the fix, and the page that explains it", async () => {
    const { client } = scripted([problem("not_found", 404)]);
    const error = await settled(client.getRun("run_1"));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: "ApiError",
      message: "What is wrong.",
      code: "not_found",
      status: 404,
      title: "Title",
      detail: "What is wrong.",
      fix: "Check the id, and that you send the request to the right service.",
      errors: [],
      helpUrl: "https://hooks.example.com/errors/not_found",
      isRetryable: false,
    });
  });

  it("of a newer service has no fix", async () => {
    const { client } = scripted([problem("constructor", 418)]);
    expect(await settled(client.getRun("run_1"))).toMatchObject({ code: "constructor", fix: "", isRetryable: false });
  });

  it("names the reason of the system", async () => {
    const { client } = scripted([unreachable], { retries: 0 });
    expect(await settled(client.getRun("run_1"))).toMatchObject({
      message: "https://hooks.example.com cannot be reached: connect ECONNREFUSED 127.0.0.1:3000",
    });
  });
});

it.each([
  [
    undefined,
    'createClient needs an object, but got nothing. Write createClient({ url: "https://hooks.example.com" }).',
  ],
  [{}, "createClient: url must be a string, but is missing"],
  [{ url: "hooks.example.com" }, 'createClient: url must start with https:// or http://, but is "hooks.example.com".'],
  [{ url: "https://a", token: "" }, "createClient: token must be a string, but is empty"],
  [{ url: "https://a", retries: -1 }, "createClient: retries must be an integer of at least 0, but is -1."],
  [{ url: "https://a", timeout: "soon" }, 'createClient: timeout must be a duration such as "30s" or "10m"'],
])("options %j are rejected with the fix", (options, message) => {
  expect(() => createClient(options as never)).toThrow(message);
});

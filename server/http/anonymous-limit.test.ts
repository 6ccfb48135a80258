import { request as send } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { createAnonymousLimit } from "./anonymous-limit.ts";
import { bearer, makeKey, openTestService } from "./rest/testing/test-service.ts";
import { serve } from "./testing/serve.ts";

/** Pages that answer when the test lets them. */
async function open() {
  // Slots are taken until the test answers, regardless of the speed of the machine.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const service = await openTestService({ mode: "deployed" });
  const held: (() => void)[] = [];
  const hold = () => new Promise<void>((resolve) => held.push(resolve));
  const rest = async () => hold().then(() => new Response("the API"));
  const served = await serve({
    limitAnonymous: createAnonymousLimit({ ...service.deps, authenticateFor: () => service.deps.authenticate }),
    rest,
    maxForwarded: 2_500,
    pages: { handle: async (_, response) => hold().then(() => void response.end("the page")) },
  });
  const ask = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; retryAfter: string | undefined }>((resolve, reject) => {
      const request = send(served.url + path, { headers, agent: false }, (response) => {
        response.resume();
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] }),
        );
      });
      request.once("error", reject).end();
    });
  return { service, held, ask };
}

/** Real time: `expect.poll` would advance the virtual time, and slots would be given up. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(10);
}

it("a flood of one page is rejected beyond its queue; other routes, people, tokens and probes are answered meanwhile", async () => {
  const { service, held, ask } = await open();
  const token = await makeKey(service, { kind: "api", scope: "read" });
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  // Fewer than the receiver forwards for one network.
  const flood = Array.from({ length: 240 }, async () => answers.push(await ask("/sign-in")));
  await until(() => answers.length >= 140);
  expect(answers.filter(({ status, retryAfter }) => status !== 429 || !(Number(retryAfter) > 0))).toEqual([]);
  const before = held.length;
  expect(before).toBeGreaterThanOrEqual(4);
  const others = [
    ask("/api/v1/runs", bearer(token.secret)),
    ask("/runs", { cookie: `signalbox_session=${token.secret}` }),
    ask("/healthz"),
    ask("/readyz"),
    ask("/invite/x"),
  ];
  await until(() => held.length >= before + others.length);
  // Invalid credentials count as none.
  expect((await ask("/sign-in", bearer("sbt_unknown"))).status).toBe(429);
  const answering = setInterval(() => held.splice(0).forEach((answer) => answer()), 1);
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  await Promise.all(flood);
  clearInterval(answering);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
  expect(service.state.log.filter((line) => line.startsWith("anonymous request rejected")).length).toBe(1);
});

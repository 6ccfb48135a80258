import { describe, expect, it, vi } from "vitest";
import { expectAnswersOf, expectNothingLost, linesWith, statusOf } from "./expectations.ts";
import { prepareFaultyProject, startFaultyService } from "./faulty-service.ts";
import { startLoad } from "./load.ts";

const kills = 5;

describe("a process that dies under load", () => {
  it("the web process: webhooks get 202 only, other requests 503 with Retry-After until it is back, and the receiver keeps running", async () => {
    const service = await startFaultyService(prepareFaultyProject());
    const { url, key } = service;
    const receiver = service.receiver();
    const load = startLoad({ url, key, clients: 4, paceMs: 25 });
    for (let n = 0; n < kills; n += 1) {
      const accepted = load.answers().length;
      const [web = 0] = service.web();
      process.kill(web, "SIGKILL");
      const rejected = await vi.waitFor(
        async () => {
          const response = await fetch(`${url}/sign-in`, { headers: { accept: "text/html" } });
          expect(response.status).toBe(503);
          return response;
        },
        { interval: 5 },
      );
      expect(rejected.headers.get("retry-after")).toBe("5");
      expect(await rejected.text()).toContain("Webhooks are still received.");
      await vi.waitFor(async () => expect((await fetch(`${url}/api/v1/runs`)).status).toBe(401));
      expect(service.web()).not.toContain(web);
      await vi.waitFor(() => expect(load.answers().length).toBeGreaterThan(accepted + 10));
    }
    const answers = await load.finish();
    expectAnswersOf(answers, [202]);
    await expectNothingLost(service, answers);
    expect(service.receiver()).toEqual(receiver);
    expect(linesWith(service.output(), "The web process was killed")).toHaveLength(kills);
    expect(await service.stop()).toBe(0);
  });

  it("the receiver: it is back on the same port, what it accepted is executed, and the web process keeps running", async () => {
    const service = await startFaultyService(prepareFaultyProject());
    const { url, key } = service;
    const web = service.web();
    const load = startLoad({ url, key, clients: 4, paceMs: 25 });
    for (let n = 0; n < kills; n += 1) {
      const accepted = () => load.answers().filter(({ status }) => status === 202).length;
      const before = accepted();
      const [receiver = 0] = service.receiver();
      process.kill(receiver, "SIGKILL");
      await vi.waitFor(() => expect(service.receiver().filter((pid) => pid !== receiver)).toHaveLength(1));
      await vi.waitFor(() => expect(accepted()).toBeGreaterThan(before + 10));
      expect((await statusOf(`${url}/readyz`)).status).toBe(200);
    }
    const answers = await load.finish();
    // The only allowed errors: connection rejected, or interrupted.
    expectAnswersOf(answers, [202, 0, -1]);
    await expectNothingLost(service, answers);
    expect(service.web()).toEqual(web);
    expect(linesWith(service.output(), "The receiver was killed")).toHaveLength(kills);
    expect(await service.stop()).toBe(0);
  });
});

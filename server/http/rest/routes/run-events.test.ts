import { describe, expect, it, vi } from "vitest";
import { type TestService, deliver, executeRuns, openTestService } from "../testing/test-service.ts";

const body = '{ "name": "a", "email": "a@example.com" }';

async function openEvents(service: TestService, runId: string, headers: Record<string, string> = {}) {
  const response = await service.app.fetch(
    new Request(`http://localhost:3002/api/v1/runs/${runId}/events`, { headers }),
  );
  if (!response.body) throw new Error("no stream");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  return { response, reader, next: async () => (await reader.read()).value ?? null };
}

const idOf = (event: string | null) => /^id: (\d+)$/m.exec(event ?? "")?.[1] ?? "";
const nameOf = (event: string | null) => /^event: (\w+)$/m.exec(event ?? "")?.[1];

describe("GET /api/v1/runs/{id}/events", () => {
  it("streams entries as they are written, and ends with the run", async () => {
    const service = await openTestService();
    const [run] = (await deliver(service, { endpoint: "signup", body })).runs;
    const events = await openEvents(service, run?.id ?? "");
    expect(events.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await events.next()).toMatch(/^retry: /);
    expect(nameOf(await events.next())).toBe("queued");
    const coming = events.next();
    await executeRuns(service);
    expect(nameOf(await coming)).toBe("attempt_started");
    expect(nameOf(await events.next())).toBe("log");
    expect(nameOf(await events.next())).toBe("completed");
    expect(nameOf(await events.next())).toBe("end");
    expect((await events.reader.read()).done).toBe(true);
  });

  it("streams a resumed run past its first end", async () => {
    const service = await openTestService();
    const [{ id } = { id: "" }] = (await deliver(service, { endpoint: "signup", body })).runs;
    await executeRuns(service, { to: "failed", error: null });
    await service.post(`/api/v1/runs/${id}/resume`);
    const events = await openEvents(service, id);
    const kinds: (string | undefined)[] = [];
    for (let event = await events.next(); nameOf(event) !== "resume_requested"; event = await events.next())
      kinds.push(nameOf(event));
    expect(kinds.slice(1)).toEqual(["queued", "attempt_started", "log", "failed"]);
    const coming = events.next();
    await executeRuns(service);
    expect(nameOf(await coming)).toBe("attempt_started");
    expect([nameOf(await events.next()), nameOf(await events.next()), nameOf(await events.next())]).toEqual([
      "log",
      "completed",
      "end",
    ]);
  });

  it("sends a client that reconnects the entries that it missed, and none twice", async () => {
    const service = await openTestService();
    const [run] = (await deliver(service, { endpoint: "signup", body })).runs;
    await executeRuns(service);
    const whole = (await service.get(`/api/v1/runs/${run?.id}/events`)).text.split("\n\n").slice(1, -1);
    expect(whole.map(nameOf)).toEqual(["queued", "attempt_started", "log", "completed", "end"]);
    for (let had = 0; had < 4; had++) {
      const rest = await service.get(`/api/v1/runs/${run?.id}/events`, { "last-event-id": idOf(whole[had] ?? "") });
      expect(rest.text.split("\n\n").slice(1, -1)).toEqual(whole.slice(had + 1));
    }
  });

  it("names each event by its timeline id", async () => {
    const service = await openTestService();
    const [run] = (await deliver(service, { endpoint: "signup", body })).runs;
    await executeRuns(service);
    const events = (await service.get(`/api/v1/runs/${run?.id}/events`)).text.split("\n\n").slice(1, -2);
    for (const event of events)
      expect(JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? "")).toMatchObject({
        id: Number(idOf(event)),
        kind: nameOf(event),
      });
  });

  it("releases the store when the client disconnects", async () => {
    const service = await openTestService();
    const [run] = (await deliver(service, { endpoint: "signup", body })).runs;
    const stop = vi.fn<() => void>();
    const watch = service.store.watch.bind(service.store);
    service.store.watch = (listener) => {
      const unwatch = watch(listener);
      return () => {
        stop();
        unwatch();
      };
    };
    const events = await openEvents(service, run?.id ?? "");
    await events.next();
    await events.next();
    const silent = events.next();
    await events.reader.cancel();
    await silent;
    await vi.waitFor(() => expect(stop).toHaveBeenCalled());
  });

  it("is interrupted without an end when the service stops, so that clients reconnect", async () => {
    const service = await openTestService();
    const [run] = (await deliver(service, { endpoint: "signup", body })).runs;
    const events = await openEvents(service, run?.id ?? "");
    await events.next();
    await events.next();
    const last = events.reader.read();
    service.stop();
    expect((await last).done).toBe(true);
  });

  it("is interrupted without an end also for a client that reconnected and got nothing new since", async () => {
    const service = await openTestService();
    const [run] = (await deliver(service, { endpoint: "signup", body })).runs;
    const first = await openEvents(service, run?.id ?? "");
    await first.next();
    const had = idOf(await first.next());
    await first.reader.cancel();
    const events = await openEvents(service, run?.id ?? "", { "last-event-id": had });
    await events.next();
    const last = events.reader.read();
    service.stop();
    expect(await last).toEqual({ done: true, value: undefined });
  });
});

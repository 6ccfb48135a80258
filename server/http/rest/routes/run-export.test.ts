import { describe, expect, it } from "vitest";
import { runSchema } from "../../../contract/run.ts";
import { aRun } from "../../../store/testing/factories.ts";
import { serve } from "../../testing/serve.ts";
import {
  bearer,
  deliver,
  executeRuns,
  makeKey,
  openTestService,
  paidBody,
  type TestService,
} from "../testing/test-service.ts";

/** `count` signups, one a second, so that they fill several pages of the export. */
async function signUp(service: TestService, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    service.state.now += 1000;
    ids.unshift(
      ...(await deliver(service, { endpoint: "signup", body: '{ "name": "a", "email": "a@example.com" }' })).runs.map(
        ({ id }) => id,
      ),
    );
  }
  return ids;
}

describe("GET /api/v1/runs/export", () => {
  it("returns every run of the filter as a line of CSV, newest first, as a file to save", async () => {
    const service = await openTestService();
    const ids = await signUp(service, 205);
    await deliver(service, { endpoint: "billing", body: paidBody });
    const answer = await service.get("/api/v1/runs/export?format=csv&trigger=new-signup");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-disposition")).toBe(
      'attachment; filename="signalbox-runs-2026-11-21T10-03-25Z.csv"',
    );
    expect(answer.headers.get("content-type")).toContain("text/csv");
    const [header, ...lines] = answer.text.trimEnd().split("\r\n");
    expect(header).toMatch(/^id,status,trigger,targetKind,target,/);
    expect(lines.map((line) => line.split(",")[0])).toEqual(ids);
    expect(lines[0]).toContain(",queued,new-signup,workflow,welcome-email,");
  });

  it("returns the child runs of a run, with its id", async () => {
    const service = await openTestService();
    const [parent = ""] = await signUp(service, 1);
    const child = aRun({ startedBy: "parent", child: { of: parent, step: "charge", link: "call", depth: 1 } });
    await service.store.createRuns([child, aRun()]);
    const answer = await service.get(`/api/v1/runs/export?format=csv&childOf=${parent}`);
    const [header = "", ...lines] = answer.text.trimEnd().split("\r\n");
    expect(header.split(",").at(-1)).toBe("childOf");
    expect(lines.map((line) => [line.split(",")[0], line.split(",").at(-1)])).toEqual([[child.id, parent]]);
  });

  it("returns complete runs as JSON Lines, with payload and output", async () => {
    const service = await openTestService();
    const { runs } = await deliver(service, { endpoint: "billing", body: paidBody });
    await executeRuns(service);
    const { text, headers } = await service.get("/api/v1/runs/export?format=jsonl&status=completed");
    expect(headers.get("content-type")).toBe("application/jsonl");
    const exported = text
      .trimEnd()
      .split("\n")
      .map((line) => runSchema.strict().parse(JSON.parse(line)));
    expect(exported.map(({ id }) => id).toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
    expect(exported[0]).toMatchObject({ payload: { amount: 12.5 }, output: { ok: true } });
  });

  it("escapes error messages for spreadsheets", async () => {
    const service = await openTestService();
    await deliver(service, { endpoint: "billing", body: paidBody });
    await executeRuns(service, {
      to: "failed",
      error: { name: "Error", message: '=HYPERLINK("https://evil.example")', stack: null },
    });
    expect((await service.get("/api/v1/runs/export?format=csv")).text).toContain(
      `,"'=HYPERLINK(""https://evil.example"")",`,
    );
  });

  it("has only a header if there are no runs", async () => {
    const service = await openTestService();
    expect((await service.get("/api/v1/runs/export?format=csv")).text).toMatch(/^id,[^\n]*\r\n$/);
    expect((await service.get("/api/v1/runs/export?format=jsonl")).text).toBe("");
  });

  it("rejects an unknown format or filter with a problem, not with a file", async () => {
    const service = await openTestService();
    for (const query of ["", "?format=xlsx", "?format=csv&statos=failed"]) {
      expect((await service.get(`/api/v1/runs/export${query}`)).json).toMatchObject({ code: "invalid_request" });
    }
  });

  it("is not for webhook keys", async () => {
    const service = await openTestService({ mode: "deployed" });
    const key = await makeKey(service, { kind: "webhook" });
    expect((await service.get("/api/v1/runs/export?format=csv", bearer(key.secret))).status).toBe(403);
  });

  it("reads no further than its client has read, and stops when the client disconnects", async () => {
    const service = await openTestService();
    await signUp(service, 250);
    let pages = 0;
    const { listRuns } = service.store;
    service.store.listRuns = (filter, page) => ((pages += 1), listRuns(filter, page));
    const response = await service.app.fetch(new Request("http://localhost:3002/api/v1/runs/export?format=csv"));
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    expect(pages).toBe(1);
    await reader?.cancel();
    expect(pages).toBe(1);
  });

  it("is visibly interrupted when the service stops or the store fails", async () => {
    const service = await openTestService();
    await signUp(service, 250);
    const { listRuns } = service.store;
    let fails = false;
    service.store.listRuns = (filter, page) => (fails ? Promise.reject(new Error("canary")) : listRuns(filter, page));
    const served = await serve({ rest: service.app.fetch });
    const whole = async () => (await fetch(`${served.url}/api/v1/runs/export?format=csv`)).text();
    expect((await whole()).split("\r\n")).toHaveLength(252);
    const response = await service.app.fetch(new Request("http://localhost:3002/api/v1/runs/export?format=csv"));
    fails = true;
    await expect(response.text()).rejects.toThrow("canary");
    fails = false;
    service.stop();
    await expect(whole()).rejects.toThrow("terminated");
  });
});

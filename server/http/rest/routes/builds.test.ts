import { describe, expect, it } from "vitest";
import { buildsSchema, openRunCheckSchema } from "../../../contract/project/build.ts";
import { aRun } from "../../../store/testing/factories.ts";
import { makeKey, openTestService, type TestService } from "../testing/test-service.ts";

/** Three kept builds, and a run of each and of one that is gone. The middle one is current. */
async function withBuilds(mode: "deployed" | "development" = "deployed"): Promise<TestService> {
  const service = await openTestService({ mode });
  const { manifest } = service.state.sources;
  service.state.builds = ["v3", "v2", "v1"].map((version, n) => ({
    ...manifest,
    version,
    builtAt: `2026-01-0${9 - n}T00:00:00.000Z`,
  }));
  const current = service.state.builds[1];
  if (current) service.state.sources = { ...service.state.sources, manifest: current };
  await service.store.createRuns(["v3", "v2", "v0"].map((version) => aRun({ version })));
  return service;
}

const admin = async (service: TestService) => {
  const { secret } = await makeKey(service, { kind: "api", scope: "admin" });
  return { authorization: `Bearer ${secret}` };
};

describe("GET /api/v1/builds", () => {
  it("lists kept builds with their open runs, then those that are gone, and the target of a rollback", async () => {
    const service = await withBuilds();
    const answer = await service.get("/api/v1/builds", await admin(service));
    expect(buildsSchema.parse(answer.json)).toEqual({
      data: [
        { id: "v3", builtAt: "2026-01-09T00:00:00.000Z", isCurrent: false, openRuns: 1 },
        { id: "v2", builtAt: "2026-01-08T00:00:00.000Z", isCurrent: true, openRuns: 1 },
        { id: "v1", builtAt: "2026-01-07T00:00:00.000Z", isCurrent: false, openRuns: 0 },
        { id: "v0", builtAt: null, isCurrent: false, openRuns: 1 },
      ],
      previous: "v1",
      canRollBack: true,
    });
  });
});

describe("POST /api/v1/builds/{id}/rollback", () => {
  it("makes the build current, tells the service, and is in the audit log", async () => {
    const service = await withBuilds();
    const headers = await admin(service);
    const answer = await service.post("/api/v1/builds/v1/rollback", undefined, headers);
    expect(answer).toMatchObject({ status: 200, json: { id: "v1", isCurrent: true } });
    expect(service.state.loads).toBe(1);
    const audit = await service.get("/api/v1/audit", headers);
    expect(JSON.stringify(audit.json)).toContain('"action":"build.rolled-back"');
  });

  it.each([
    ["a build that is not kept", "v0", 404, "not_found", 'This machine has no build "v0".'],
    ["a build that cannot be loaded", "v1", 409, "build_unusable", "Build v1 cannot be loaded. It is damaged."],
  ])("leaves the current build for %s", async (_, id, status, code, detail) => {
    const service = await withBuilds();
    for (const build of service.state.builds) if (build.version === "v1") build.sources = "damaged";
    const answer = await service.post(`/api/v1/builds/${id}/rollback`, undefined, await admin(service));
    expect(answer).toMatchObject({ status, json: { code, detail: expect.stringContaining(detail) } });
    expect(service.state.sources.manifest.version).toBe("v2");
    expect(service.state.loads).toBe(0);
  });

  it("is rejected in development, where the newest build is always served", async () => {
    const service = await withBuilds("development");
    expect((await service.post("/api/v1/builds/v1/rollback")).status).toBe(400);
  });
});

describe("POST /api/v1/builds/check", () => {
  it("names the open runs that do not fit the build", async () => {
    const service = await withBuilds();
    const outline = { id: "v4", triggers: [], targets: [] };
    const answer = await service.post("/api/v1/builds/check", outline, await admin(service));
    const { openRuns, misfits, failing, neededBuilds } = openRunCheckSchema.parse(answer.json);
    expect({ openRuns, misfits, failing, neededBuilds }).toEqual({
      openRuns: 3,
      misfits: 3,
      failing: 1,
      neededBuilds: ["v0", "v2", "v3"],
    });
  });
});

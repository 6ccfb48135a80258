import { join } from "node:path";
import { describe } from "vitest";
import type { Json } from "../../contract/json.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { HarnessWorkflow, Project } from "../testing/pool-harness.ts";
import { test as harness } from "../testing/supervisor-harness.ts";
import { createInputChecks } from "./input-checks.ts";

const test = harness.extend("openChecks", ({ onEnd }) => (project: Project, timeoutMs = 30_000) => {
  const checks = createInputChecks({
    stateDir: join(project.dir, ".signalbox"),
    env: { PATH: process.env["PATH"] },
    memoryMb: 100,
    logger: silentLogger,
    timeoutMs,
  });
  onEnd(async () => checks.close());
  return (slug: string, input: Json, version = "builds/b1") =>
    checks.check({ version, target: { kind: "workflow", slug }, input });
});

const workflow = (input: string, top = ""): HarnessWorkflow => ({ code: "return 1;", input, top });
const twoCharacters = workflow("z.object({ code: z.string().regex(/^..$/) })");

describe.concurrent("the check of an input", () => {
  test("in a service is made with the environment of a worker, which web does not have", async ({
    startService,
    expect,
  }) => {
    const { call } = await startService(
      { mail: { ...twoCharacters, top: 'if (!process.env.MAIL_KEY) throw new Error("There is no key.");' } },
      { env: { MAIL_KEY: "a key of workers only" } },
    );
    expect((await call("POST", "/workflows/mail/runs", { code: "👍" })).status).toBe(202);
    expect(await call("POST", "/workflows/mail/runs", { code: "abc" })).toMatchObject({
      status: 422,
      json: { code: "invalid_input", errors: [{ pointer: "/code", code: "invalid_format" }] },
    });
  });

  test("of a new build uses its schemas", async ({ startService, expect }) => {
    const { call, supervisor, project } = await startService({ one: twoCharacters });
    expect((await call("POST", "/workflows/one/runs", { code: "abc" })).status).toBe(422);
    await project.write({ one: workflow("z.object({ code: z.string().length(3) })") });
    await supervisor.reload();
    expect((await call("POST", "/workflows/one/runs", { code: "abc" })).status).toBe(202);
    expect((await call("POST", "/workflows/one/runs", { code: "ab" })).status).toBe(422);
  });

  test.for([
    ["throws", 'throw new Error("no");'],
    ["exits", "process.exit(3);"],
    ["crashes", "process.abort();"],
  ] as const)(
    "cannot be made if the module %s, and the next build is checked again",
    async ([, top], { createProject, openChecks, expect }) => {
      const project = await createProject({ broken: workflow("z.any()", top) });
      const check = openChecks(project);
      expect(await check("broken", {})).toBeNull();
      await project.write({ fine: twoCharacters });
      expect(await check("fine", { code: "abc" }, "builds/b2")).toMatchObject([{ pointer: "/code" }]);
    },
  );

  test.for([
    ["hangs", "await new Promise(() => {});"],
    ["blocks", "blockForEver();"],
  ] as const)(
    "cannot be made if the module %s: no question waits for long",
    async ([, top], { createProject, openChecks, expect }) => {
      const check = openChecks(await createProject({ broken: workflow("z.any()", top) }), 1_000);
      expect(await Promise.all([check("broken", {}), check("broken", {})])).toEqual([null, null]);
    },
  );

  test("cannot be made for a build or a workflow that does not exist, nor outside of the folder of builds", async ({
    createProject,
    openChecks,
    expect,
  }) => {
    const check = openChecks(await createProject({ fine: twoCharacters }));
    expect(await check("other", {})).toBeNull();
    for (const version of ["b2", "..", "../builds/b1", ""]) expect(await check("fine", {}, version)).toBeNull();
    expect(await check("fine", { code: "ab" })).toEqual([]);
  });

  test("answers many questions at once, each with its own result", async ({ createProject, openChecks, expect }) => {
    const check = openChecks(await createProject({ fine: twoCharacters }));
    const results = await Promise.all(
      Array.from({ length: 500 }, (_, n) => check("fine", { code: n % 2 ? "ab" : "abc" })),
    );
    expect(results.map((errors) => errors?.length)).toEqual(results.map((_, n) => (n % 2 ? 0 : 1)));
  });
});

import { expect, it } from "vitest";
import { z } from "zod";
import type { Json } from "../../contract/json.ts";
import type { BuildOutline } from "../../contract/project/build.ts";
import { type Manifest, manifestSchema, type StepCall } from "../../contract/project/manifest.ts";
import type { Builds } from "../../ports/builds.ts";
import type { InputChecks } from "../../ports/input-checks.ts";
import type { AnySchema, ProjectCode } from "../../ports/project.ts";
import type { OpenRun, OpenRunRecord } from "../../ports/store/open-run-store.ts";
import { evaluateInput } from "../../project/evaluate-input.ts";
import { checkOpenRuns } from "./check-open-runs.ts";

const oldInput = z.object({ order: z.string() });
const newInput = z.object({ order: z.string(), email: z.email() });
const steps = (...names: string[]): StepCall[] => names.map((name) => ({ kind: "step", name }));

function manifestOf(version: string, given: Partial<Manifest["workflows"][number]> = {}): Manifest {
  const workflow = {
    slug: "receipt",
    file: "workflows/receipt.ts",
    module: "m",
    input: {},
    output: null,
    retries: { attempts: 1, backoff: "fixed", initialMs: 0, maxMs: 0 },
    timeoutMs: 1,
    concurrency: null,
    ...given,
  };
  return manifestSchema.parse({
    format: 1,
    version,
    builtAt: "2026-01-01T00:00:00.000Z",
    name: "test",
    folder: `builds/${version}`,
    sources: "sources.mjs",
    settings: {},
    triggers: [],
    workflows: [workflow],
  });
}

const outline = (given: Partial<BuildOutline["targets"][number]> = {}): BuildOutline => ({
  id: "v2",
  triggers: ["paid:receipt"],
  targets: [{ target: { kind: "workflow", slug: "receipt" }, steps: steps("send"), versions: "pin", ...given }],
});

interface GivenRun extends Partial<OpenRun>, Partial<Omit<OpenRunRecord, "id">> {}

function check(
  build: BuildOutline,
  runs: GivenRun[],
  {
    kept = [manifestOf("v1", { steps: [...steps("send"), { kind: "child", name: "charge" }] })],
    input = oldInput,
  }: { kept?: Manifest[]; input?: z.ZodType | null } = {},
) {
  const open = runs.map((given, n) => ({
    id: `run_${n}`,
    version: "v1",
    target: { kind: "workflow" as const, slug: "receipt" },
    attachmentId: "paid:receipt",
    input: { order: "a" },
    steps: [{ name: "send", kind: "step" as const }],
    ...given,
  }));
  const builds: Builds = {
    list: async () => kept.map(({ version: id, builtAt }) => ({ id, builtAt, isCurrent: false })),
    read: async (id) => kept.find(({ version }) => version === id) ?? null,
    loadSources: async () => null,
    makeCurrent: () => Promise.reject(new Error("not called")),
  };
  const store = {
    countOpenRunsByVersion: async () =>
      new Map([...Map.groupBy(open, ({ version }) => version)].map(([version, group]) => [version, group.length])),
    listOpenRuns: async ({ limit }: { limit: number }) => open.slice(0, limit),
    readOpenRuns: async (ids: readonly string[]) => open.filter(({ id }) => ids.includes(id)),
  };
  const code: Pick<ProjectCode, "workflow"> = {
    workflow: async (slug) => input && { slug, input: input as unknown as AnySchema, output: null, run() {} },
  };
  const inputs: InputChecks = { check: (question) => evaluateInput(code, question) };
  return checkOpenRuns({ store, builds, inputs }, build);
}

it("every run fits a build that only adds steps", async () => {
  expect(await check(outline({ steps: steps("send", "more") }), [{}, { version: "v2" }])).toEqual({
    openRuns: 2,
    checkedRuns: 2,
    uncheckedInputs: 0,
    misfits: 0,
    failing: 0,
    data: [],
    neededBuilds: ["v1", "v2"],
  });
});

it.each<[string, BuildOutline, GivenRun, string, string]>([
  ["a removed step", outline({ steps: steps("post") }), {}, "step", 'The step "send" is not in the code.'],
  [
    "a removed child run",
    outline(),
    { steps: [{ name: "charge", kind: "child" }] },
    "step",
    'The child run "charge" is not in the code.',
  ],
  ["a removed workflow", { ...outline(), targets: [] }, {}, "target", "Workflow receipt is not in the build."],
  [
    "a removed trigger, before the input was created",
    { ...outline(), triggers: [] },
    { input: null, steps: [] },
    "trigger",
    "Trigger paid:receipt is not in the build.",
  ],
])("finds %s, and says that the run continues on its build", async (_, build, run, problem, detail) => {
  expect(await check(build, [run])).toMatchObject({
    misfits: 1,
    failing: 0,
    data: [{ runId: "run_0", build: "v1", problem, detail, continuesOn: "v1" }],
  });
});

it("finds an input that the Zod schema of the build rejects, also if its export did not change", async () => {
  expect(await check(outline(), [{}], { input: newInput })).toMatchObject({
    misfits: 1,
    failing: 0,
    data: [
      {
        problem: "input",
        detail: "input/email: Invalid input: expected string, received undefined",
        continuesOn: "v1",
      },
    ],
  });
});

it("a run whose input Zod accepts fits, where its export would reject it", async () => {
  const accepted: [z.ZodType, Json][] = [
    [z.object({ order: z.string().regex(/^..$/) }), { order: "👍" }],
    [
      z.object({
        unit: z.literal("KG"),
        to: z
          .string()
          .toLowerCase()
          .pipe(z.enum(["a"])),
      }),
      { unit: "KG", to: "A" },
    ],
    [z.object({ order: z.string() }).pipe(z.strictObject({ order: z.string() })), { order: "a", more: 1 }],
  ];
  for (const [input, recorded] of accepted)
    expect(await check(outline(), [{ input: recorded }], { input })).toMatchObject({ misfits: 0, uncheckedInputs: 0 });
});

it("counts inputs that the schemas of the build could not parse here, and finds the other misfits", async () => {
  const build = outline({ steps: steps("post") });
  expect(await check(build, [{}, { steps: [] }], { input: null })).toMatchObject({ uncheckedInputs: 2, misfits: 1 });
});

it("a run fails that continues on the new build: its own is gone, or the target uses the latest", async () => {
  const input = newInput;
  expect(await check(outline(), [{}], { kept: [], input })).toMatchObject({
    misfits: 1,
    failing: 1,
    data: [{ continuesOn: "v2" }],
  });
  const latest = outline({ versions: "latest" });
  expect(await check(latest, [{}], { input })).toMatchObject({ misfits: 1, failing: 1, data: [{ continuesOn: "v2" }] });
});

it("a removed trigger does not matter to a run that has its input", async () => {
  expect(await check({ ...outline(), triggers: [] }, [{}])).toMatchObject({ misfits: 0 });
});

it("lists at most 20 runs, those that fail first, and counts all", async () => {
  const runs = [...Array.from({ length: 100 }, () => ({})), { version: "v0" }];
  const { misfits, failing, data } = await check(outline(), runs, { input: newInput });
  expect({ misfits, failing, listed: data.length }).toEqual({ misfits: 101, failing: 1, listed: 20 });
  expect(data[0]).toMatchObject({ runId: "run_100", continuesOn: "v2" });
});

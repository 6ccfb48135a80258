import { BaseSequencer, type TestSpecification } from "vitest/node";
import { defineConfig } from "vitest/config";
import { temporaryFolder } from "./scripts/temporary-folder.ts";

/** Tests beside the code that start processes of the product, and mostly wait for them. */
const processTests = [
  "server/processes/**/*.test.ts",
  "server/store/**/{processes,machines,migrate-killed}.test.ts",
  "cli/main.test.ts",
];

/** Tests of how the service keeps its times under a flood: only tests that mostly wait may run beside them. */
const floodTests = ["e2e/hostile/{floods,slow-senders}.test.ts", "e2e/auditor/stopped-worker.test.ts"];
const aloneTests = ["e2e/hostile/busy-web.test.ts"];
/** Tests with leases of several machines: beside four busy files, a machine would lose its leases without a fault. */
const leaseTests = ["e2e/auditor/{auditor,postgres}.test.ts", "e2e/faults/postgres-cut.test.ts"];

/** Short files whose tests take long, most of them defined elsewhere: they start first. */
const slow =
  /\/(auditor\/(auditor|fencing|postgres|lost-supervisor)|alerts|pinned-builds|postgres-cut|(postgres|sqlite|copy)-store|pooler|golden|guides|run-channel)\.test\.ts$/;

/** Files that mostly wait take turns with files that mostly compute, so that the processor is never idle. */
class WaitingBesideComputing extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const sorted = bySize.toSorted((a, b) => Number(slow.test(b.moduleId)) - Number(slow.test(a.moduleId)));
    const waiting = sorted.filter(isWaiting);
    const computing = sorted.filter((file) => !isWaiting(file));
    const length = Math.max(waiting.length, computing.length);
    return Array.from({ length }, (_, index) =>
      [waiting[index], computing[index]].filter((file) => file !== undefined),
    ).flat();
  }
}

function isWaiting({ project, moduleId }: TestSpecification): boolean {
  return project.name === "processes" || /\/e2e\/((auditor|faults)\/|(alerts|pinned-builds)\.test)/.test(moduleId);
}

const productTest = { globalSetup: "scripts/ensure-built.ts", testTimeout: 600_000 };
/** More than the two cores of CI: of their time, files spend about half waiting. */
const beside = { maxWorkers: 4, sequence: { groupOrder: 1 } };

export default defineConfig({
  resolve: {
    alias: [
      {
        find: /^signalbox\/(trigger|workflow|agent|verify|client|config)$/,
        replacement: `${import.meta.dirname}/sdk/$1/index.ts`,
      },
      { find: /^signalbox\/testing$/, replacement: `${import.meta.dirname}/testing/index.ts` },
      { find: /^signalbox\/testing\/vitest$/, replacement: `${import.meta.dirname}/sdk/test-project/vitest.ts` },
    ],
  },
  test: {
    // More than the two cores of CI: a good part of the time is spent waiting.
    maxWorkers: 3,
    // Limits only end tests that hang: a busy machine takes many times as long as an idle one.
    testTimeout: 240_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 180_000 } },
    setupFiles: ["scripts/patient-waits.ts"],
    sequence: { sequencer: WaitingBesideComputing },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{sdk,server,cli,testing,components,app,bench,scripts,examples,docs}/**/*.test.{ts,tsx}"],
          exclude: [
            "**/node_modules/**",
            "**/.signalbox/**",
            "cli/build/golden/**",
            "examples/*/tests/**",
            ...processTests,
          ],
          // Files share the modules of their worker: a test undoes what it changes of the process.
          isolate: false,
          env: { TMPDIR: temporaryFolder() },
          globalSetup: "scripts/temporary-folder.ts",
          setupFiles: ["scripts/unit-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          ...productTest,
          ...beside,
          name: "processes",
          include: processTests,
          setupFiles: ["scripts/run-built.ts"],
        },
      },
      {
        extends: true,
        test: {
          ...productTest,
          ...beside,
          name: "e2e",
          include: ["e2e/**/*.test.ts"],
          exclude: [...floodTests, ...leaseTests, ...aloneTests],
          // Files share the modules and the browser of their worker.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { ...productTest, name: "floods", include: floodTests, maxWorkers: 2, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: { ...productTest, name: "leases", include: leaseTests, maxWorkers: 2, sequence: { groupOrder: 4 } },
      },
      {
        extends: true,
        test: { ...productTest, name: "alone", include: aloneTests, maxWorkers: 1, sequence: { groupOrder: 3 } },
      },
    ],
  },
});

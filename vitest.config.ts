import { BaseSequencer, type TestSpecification } from "vitest/node";
import { defineConfig } from "vitest/config";

/** Tests beside the code that start processes of the product, and mostly wait for them. */
const processTests = ["server/processes/**/*.test.ts", "server/store/*/{processes,machines,migrate-killed}.test.ts", "cli/main.test.ts"];

/** Files that wait begin first, so that the others compute meanwhile. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isWaiting), ...sorted.filter((file) => !isWaiting(file))];
  }
}

function isWaiting({ project }: TestSpecification): boolean {
  return project.name === "processes";
}

export default defineConfig({
  resolve: {
    alias: [{ find: /^signalbox\/(trigger|workflow|agent|verify|config)$/, replacement: `${import.meta.dirname}/sdk/$1/index.ts` }],
  },
  test: {
    // More than the two cores of CI: a good part of the time is spent waiting.
    maxWorkers: 3,
    sequence: { sequencer: WaitingFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{sdk,server,cli,components,app,bench,scripts,examples}/**/*.test.{ts,tsx}"],
          exclude: ["**/node_modules/**", "**/.signalbox/**", "cli/build/golden/**", ...processTests],
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: { name: "processes", include: processTests, globalSetup: "scripts/ensure-built.ts", setupFiles: "scripts/run-built.ts", testTimeout: 60_000, hookTimeout: 60_000 },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["e2e/**/*.test.ts"],
          globalSetup: "scripts/ensure-built.ts",
          testTimeout: 120_000,
          hookTimeout: 240_000,
          // Three at a time took 23 minutes on two cores: they compute more than they wait, and floods and kills disturb the others.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          // Processes are killed and stopped here at any instant, and browsers wait for real time. What fails twice in a row is a defect.
          retry: 1,
        },
      },
    ],
  },
});

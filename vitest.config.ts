import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    alias: [{ find: /^signalbox\/(trigger|workflow|agent|verify|config)$/, replacement: `${import.meta.dirname}/sdk/$1/index.ts` }],
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{sdk,server,cli,components,app,bench,scripts,examples}/**/*.test.{ts,tsx}"],
          exclude: ["**/node_modules/**", "**/.signalbox/**", "cli/build/golden/**"],
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["e2e/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 240_000,
          fileParallelism: false,
          // Processes are killed and stopped here at any instant, and browsers wait for real time. What fails twice in a row is a defect; the report says what was tried again.
          retry: 1,
        },
      },
    ],
  },
});

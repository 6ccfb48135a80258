/**
 * The duration of a fault in CI. An environment variable sets another one: `FAULTS_LOCKED_SECONDS=60 npx vitest run
 * --project
 * e2e e2e/faults/locked-store.test.ts`.
 */
export const lockedSeconds = Number(process.env["FAULTS_LOCKED_SECONDS"] ?? 15);

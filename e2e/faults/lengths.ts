/**
 * How long a fault lasts, in CI; by hand for as long as one likes: `FAULTS_LOCKED_SECONDS=60 npx vitest run --project
 * e2e e2e/faults/locked-store.test.ts`.
 */
export const lockedSeconds = Number(process.env["FAULTS_LOCKED_SECONDS"] ?? 15);

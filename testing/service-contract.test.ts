import { afterAll, beforeAll, describe, onTestFinished, vi } from "vitest";
import { testProject, type TestRun } from "signalbox/testing";
import { makeProjectUntil } from "../cli/build/testing/make-project.ts";
import {
  contractProject,
  contractSecret,
  describeVerdicts,
  type ObservedRun,
  serviceContract,
  withoutIds,
} from "./testing/service-contract.ts";

const projectDir = makeProjectUntil(afterAll, contractProject);
beforeAll(() => void vi.stubEnv("CONTRACT_SECRET", contractSecret));
afterAll(() => void vi.unstubAllEnvs());

// e2e/service-contract.test.ts has the same tests of a real service.
describe("a project in a test", () => {
  serviceContract(async () => {
    const app = await testProject({ projectDir, timeout: "1m" });
    onTestFinished(() => app.close());
    return async ({ endpoint, headers, body, method, query }) => {
      const options = { ...(headers && { headers }), ...(method && { method }), ...(query && { query }) };
      const delivery = await app.deliver(endpoint, body, options);
      const { status, response, outcome, verdicts, runs } = delivery;
      const ended: TestRun[] = [];
      for (const { trigger } of runs) ended.push(await app.settle(delivery, { trigger }));
      return {
        status,
        response: withoutIds(response),
        outcome,
        verdicts: describeVerdicts(verdicts),
        runs: ended.map(observe),
      };
    };
  });
});

function observe({ trigger, status, attempt, input, output, error, steps, logs }: TestRun): ObservedRun {
  return {
    trigger,
    status,
    attempt,
    input,
    output,
    error: error && `${error.name}: ${error.message}`,
    steps: steps.map(({ kind, name, tries }) => `${kind} ${name}${tries > 1 ? ` (${tries} tries)` : ""}`),
    logs: logs.map(({ message }) => message),
  };
}

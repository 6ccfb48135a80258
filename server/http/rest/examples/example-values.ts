import type { Target } from "../../../contract/project/target.ts";

/** Examples by operation id. */
export type OperationExamples = Readonly<Record<string, OperationExample>>;

interface OperationExample {
  /** The JSON body of the request. */
  request?: unknown;
  /** By status, e.g. `200`. For a status with several media types: `200 text/csv`. */
  answers: Readonly<Record<string, unknown>>;
}

/** Values that several examples of the OpenAPI document share: a signup that starts a welcome mail. */

export const ids = {
  delivery: "dlv_01KAQZV8Q0N2T5B6C7E8F9G0H1",
  otherDelivery: "dlv_01KAQZX3M4P7R9S1T2V3W4X5Y6",
  run: "run_01KAQZV8Q1A3C5E7G9J1M3P5R7",
  otherRun: "run_01KAQZX3M5D8F1H4K6N9Q2S5V8",
  agentRun: "run_01KAR04E2T6W9Y1A4C7E0G3J6M",
  key: "key_01KAMB7N3V5X8Z1B4D6F9H2K5N",
  otherKey: "key_01KAR0B6D9F2H5K8N1Q4S7V0X3",
  person: "per_01KAMA2C4E6G8J0M2P4R6T8W0Y",
} as const;

export const signup = { name: "Ada", email: "ada@example.com" };
/** As it is sent. */
export const signupBody = '{"name":"Ada","email":"ada@example.com"}';
export const signupSha256 = "edf07e628c2250ebd6472ce6de2ade07fcda04e0ab3b8482f19aeb2199f588df";

export const version = "5b1c0f7d9e42";
export const previousVersion = "9a04c2e1b7f3";
export const workflow: Target = { kind: "workflow", slug: "welcome-email" };
export const agent: Target = { kind: "agent", slug: "triage" };

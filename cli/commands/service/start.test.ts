import { expect, it } from "vitest";
import type { RunStatus } from "../../../server/contract/run.ts";
import { createPaint } from "../../terminal/terminal.ts";
import { createDeployedEvents } from "./start.ts";

it.each<[RunStatus, string, string]>([
  ["completed", "info", "run ended"],
  ["canceled", "info", "run ended"],
  ["failed", "warn", "run ended"],
  ["timed_out", "warn", "run ended"],
  ["waiting", "info", "run is waiting"],
  ["queued", "info", "run returned to the queue"],
])("a run that is %s after its attempt is logged as %s: %s", (status, level, message) => {
  const lines: string[][] = [];
  const log = (name: string) => (text: string, fields?: Record<string, unknown>) =>
    void lines.push([name, text, String(fields?.["status"])]);
  const output = { write: () => {}, paint: createPaint(false), hasColor: false, isTerminal: false };
  const events = createDeployedEvents({
    terminal: { out: output, err: output },
    logger: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
  });
  events.runEnded({
    runId: "run_1",
    status,
    trigger: null,
    deliveryId: null,
    target: { kind: "workflow", slug: "ship" },
    attempt: 1,
    durationMs: 1,
    error: null,
  });
  expect(lines).toEqual([[level, message, status]]);
});

import { expect, it } from "vitest";
import { createLogger } from "./logging.ts";

function logged(mode: "development" | "deployed"): string[] {
  const lines: string[] = [];
  const logger = createLogger({ mode, process: "web", write: (line) => lines.push(line) });
  logger.info("started", { port: 3000 });
  logger.error("the store is full", { cause: new Error("outer", { cause: new Error("disk") }) });
  return lines;
}

it("logs one JSON document a line when deployed, with causes", () => {
  const [first, second] = logged("deployed").map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(first).toMatchObject({ level: "info", process: "web", msg: "started", port: 3000 });
  expect(first?.["time"]).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(second).toMatchObject({ level: "error", msg: "the store is full" });
  expect(second?.["cause"]).toContain("caused by Error: disk");
});

it("logs only what a person must read in development", () => {
  const lines = logged("development");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^error web: the store is full \(cause=Error: outer/);
});

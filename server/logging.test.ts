import { expect, it } from "vitest";
import { logLevels } from "./config/environment.ts";
import { createLogger } from "./logging.ts";

function logged(mode: "development" | "deployed"): string[] {
  const lines: string[] = [];
  const logger = createLogger({
    mode,
    process: "web",
    level: mode === "deployed" ? "info" : "warn",
    write: (line) => lines.push(line),
  });
  logger.info("started", { port: 3000 });
  logger.error("the store is full", { error: new Error("outer", { cause: new Error("disk") }) });
  return lines;
}

it("logs one JSON document a line when deployed, with causes", () => {
  const [first, second] = logged("deployed").map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(first).toMatchObject({ level: "info", process: "web", msg: "started", port: 3000 });
  expect(first?.["time"]).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(second).toMatchObject({ level: "error", msg: "the store is full" });
  expect(second?.["error"]).toContain("caused by Error: disk");
});

it("logs only warnings and errors in development", () => {
  const lines = logged("development");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^error web: the store is full \(error=Error: outer/);
});

it.each(["development", "deployed"] as const)(
  "logs any thrown value in %s: circular causes, circular objects, a bigint, undefined",
  (mode) => {
    const lines: string[] = [];
    const logger = createLogger({ mode, process: "worker", level: "info", write: (line) => lines.push(line) });
    const error = new Error("round");
    error.cause = error;
    const circle: Record<string, unknown> = { name: "circle" };
    circle["self"] = circle;
    for (const [at, value] of [error, circle, 10n, undefined, Symbol("s")].entries())
      logger.warn(`unhandled error ${at}`, { runId: "run_1", error: value });
    expect(lines).toHaveLength(5);
    expect(lines[0]).toContain("Error: round");
    for (const line of lines) expect(line).toContain("run_1");
  },
);

it.each(["development", "deployed"] as const)(
  "logs in %s what is at the level or above it, and nothing that is below",
  (mode) => {
    const methods = ["debug", "info", "warn", "error"] as const;
    const heard = (level: (typeof logLevels)[number]) => {
      const lines: string[] = [];
      const logger = createLogger({ mode, process: "web", level, write: (line) => lines.push(line) });
      for (const method of methods) logger[method](`said by ${method}`);
      return lines.map((line) => /said by (\w+)/.exec(line)?.[1]);
    };
    expect(logLevels.map(heard)).toEqual(
      [methods, methods.slice(1), methods.slice(2), methods.slice(3), []].map((list) => [...list]),
    );
  },
);

it.each(["development", "deployed"] as const)("throttles what repeats, in %s", (mode) => {
  const lines: string[] = [];
  const logger = createLogger({ mode, process: "receiver", level: "info", write: (line) => lines.push(line) });
  for (let n = 0; n < 1_000; n += 1) {
    logger.warn("rejected requests not recorded: too many over a rate limit", { unrecorded: n });
    logger.error("request failed", { error: createDefect(n) });
  }
  expect(lines).toHaveLength(2);
});

/** The same defect: its message differs. */
function createDefect(n: number): Error {
  return new Error(`row ${n} is unexpected`);
}

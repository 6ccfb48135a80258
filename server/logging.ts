import { inspect } from "node:util";
import pino from "pino";
import { type Mode } from "./config.ts";
import { type LogThreshold, logLevels } from "./config/environment.ts";
import { createThrottledLogger, type Logger, silentLogger } from "./ports/logger.ts";

/**
 * Creates the log of one process, on stderr, because stdout is for results: JSON lines on a deployed service, short
 * readable lines in development. `process` names the process in each line, e.g. `web` or `worker`. Lines below `level`
 * are omitted. Warnings and errors that repeat are throttled.
 */
export function createLogger(p: {
  mode: Mode;
  process: string;
  level: LogThreshold;
  write?: (line: string) => void;
}): Logger {
  const write = p.write ?? writeToStderr;
  const logger = p.mode === "deployed" ? jsonLogger({ ...p, write }) : plainLogger({ ...p, write });
  return above(p.level, createThrottledLogger(logger));
}

let unwritten = "";

/**
 * Writes the lines of one turn of the event loop together, because each write is a system call: many deliveries end in
 * one turn.
 */
function writeToStderr(line: string): void {
  if (unwritten === "") setImmediate(flushToStderr);
  unwritten += line;
}

function flushToStderr(): void {
  const lines = unwritten;
  unwritten = "";
  if (lines !== "") process.stderr.write(lines);
}

process.on("exit", flushToStderr);

interface LogTarget {
  process: string;
  level: LogThreshold;
  write: (line: string) => void;
}

function jsonLogger({ process: name, level: threshold, write }: LogTarget): Logger {
  const log = pino(
    {
      base: { process: name },
      level: threshold,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    { write },
  );
  return {
    debug: (message, fields) => log.debug(withErrors(fields), message),
    info: (message, fields) => log.info(withErrors(fields), message),
    warn: (message, fields) => log.warn(withErrors(fields), message),
    error: (message, fields) => log.error(withErrors(fields), message),
  };
}

function plainLogger({ process: name, write }: LogTarget): Logger {
  const line = (level: string) => (message: string, fields?: Record<string, unknown>) =>
    write(`${level} ${name}: ${message}${describeFields(fields)}\n`);
  return { debug: line("debug"), info: line("info"), warn: line("warning"), error: line("error") };
}

/** Omitted lines cost nothing. */
function above(threshold: LogThreshold, logger: Logger): Logger {
  const isHeard = (level: keyof Logger) => logLevels.indexOf(level) >= logLevels.indexOf(threshold);
  const { debug, info, warn, error } = silentLogger;
  return {
    debug: isHeard("debug") ? logger.debug : debug,
    info: isHeard("info") ? logger.info : info,
    warn: isHeard("warn") ? logger.warn : warn,
    error: isHeard("error") ? logger.error : error,
  };
}

function describeFields(fields: Record<string, unknown> | undefined): string {
  if (!fields) return "";
  const parts = Object.entries(fields).map(
    ([key, value]) => `${key}=${value instanceof Error ? describeError(value) : toText(value)}`,
  );
  return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

function withErrors(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? describeError(value) : value]),
  );
}

/** The project's code can throw any value, also one without a JSON form. */
function toText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return inspect(value, { depth: 1, breakLength: Infinity });
  }
}

const maxCauses = 8;

/** The stack of an error and of its causes, which may be circular. */
function describeError(error: Error, causesLeft = maxCauses): string {
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error && causesLeft > 0
    ? `${own}\ncaused by ${describeError(error.cause, causesLeft - 1)}`
    : own;
}

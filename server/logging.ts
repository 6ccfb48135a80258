import { inspect } from "node:util";
import pino from "pino";
import type { Mode } from "./config.ts";
import type { Logger } from "./ports/logger.ts";

/**
 * The log of one process, on stderr so that stdout stays for results: JSON lines when deployed, short lines for a person in development.
 * `process` names the process in each line, e.g. `web` or `worker`.
 */
export function createLogger(p: { mode: Mode; process: string; write?: (line: string) => void }): Logger {
  const write = p.write ?? writeToStderr;
  return p.mode === "deployed" ? jsonLogger(p.process, write) : plainLogger(p.process, write);
}

let unwritten = "";

/** The lines of one turn of the event loop in one write, which is a call to the system each: many deliveries end in one turn. */
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

function jsonLogger(name: string, write: (line: string) => void): Logger {
  const log = pino(
    { base: { process: name }, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (level) => ({ level }) } },
    { write },
  );
  return {
    debug: (message, fields) => log.debug(withErrors(fields), message),
    info: (message, fields) => log.info(withErrors(fields), message),
    warn: (message, fields) => log.warn(withErrors(fields), message),
    error: (message, fields) => log.error(withErrors(fields), message),
  };
}

function plainLogger(name: string, write: (line: string) => void): Logger {
  const line = (level: string) => (message: string, fields?: Record<string, unknown>) =>
    write(`${level} ${name}: ${message}${describeFields(fields)}\n`);
  return { debug() {}, info() {}, warn: line("warning"), error: line("error") };
}

function describeFields(fields: Record<string, unknown> | undefined): string {
  if (!fields) return "";
  const parts = Object.entries(fields).map(([key, value]) => `${key}=${value instanceof Error ? describeError(value) : toText(value)}`);
  return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

function withErrors(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? describeError(value) : value]));
}

/** What the project's code throws can be anything, also what has no JSON form. */
function toText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return inspect(value, { depth: 1, breakLength: Infinity });
  }
}

const mostCauses = 8;

/** The stack of an error and of its causes, which may go in a circle. */
function describeError(error: Error, causesLeft = mostCauses): string {
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error && causesLeft > 0 ? `${own}\ncaused by ${describeError(error.cause, causesLeft - 1)}` : own;
}

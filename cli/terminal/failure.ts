import { SettingsError } from "../../server/config/environment.ts";
import { AppError } from "../../server/contract/app-error.ts";
import { errorCodes } from "../../server/contract/error-codes.ts";
import type { ProblemError } from "../../server/contract/problem.ts";
import { ProjectError } from "../../server/project/read-manifest.ts";
import type { Paint } from "./terminal.ts";
import { plainText } from "./plain-text.ts";

export interface FailureDetails {
  /** For programs: stable, in snake_case. */
  code: string;
  /** The fix, in one or two lines. */
  fix?: string;
  /** The locations, for schema failures. */
  errors?: readonly ProblemError[];
  /** 1: failure. 2: wrong usage. */
  exitCode?: 1 | 2;
  /** More fields for programs. */
  extra?: Record<string, unknown>;
  cause?: unknown;
}

/** An expected failure of a command. The message has the problem and its location, `fix` the fix. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly details: FailureDetails;

  constructor(message: string, details: FailureDetails) {
    super(message, { cause: details.cause });
    this.details = details;
  }
}

export function usageFailure(message: string, fix?: string): Failure {
  return new Failure(message, { code: "wrong_usage", exitCode: 2, ...(fix === undefined ? {} : { fix }) });
}

/** The failure for a thrown error, or `null` for an internal error. */
export function toFailure(error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  if (error instanceof AppError)
    return new Failure(error.message, {
      code: error.code,
      errors: error.errors,
      fix: error.fix ?? errorCodes[error.code].fix,
      cause: error,
    });
  if (error instanceof SettingsError) return new Failure(error.message, { code: "invalid_settings", cause: error });
  if (error instanceof ProjectError) return new Failure(error.message, { code: "invalid_build", cause: error });
  return null;
}

/** The failure for a person, on stderr: the problem, its locations, then the fix. */
export function renderFailure(failure: Failure, paint: Paint): string {
  const { errors = [], fix } = failure.details;
  const [first = "", ...rest] = failure.message.split("\n");
  const lines = [`${paint("bad", "✗")} ${plainText(first)}`, ...rest.map((line) => `  ${plainText(line)}`)];
  for (const { pointer, message } of errors)
    lines.push(`  ${paint("strong", plainText(pointer || "the body"))}: ${plainText(message)}`);
  if (fix) lines.push(...fix.split("\n").map((line) => `  ${paint("dim", line)}`));
  return `${lines.join("\n")}\n`;
}

/** The failure for a program, on stdout with --json. */
export function failureDocument(failure: Failure) {
  const { code, fix, errors, extra } = failure.details;
  return {
    error: { code, message: failure.message, ...(fix ? { fix } : {}), ...(errors?.length ? { errors } : {}), ...extra },
  };
}

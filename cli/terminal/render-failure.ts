import type { Failure } from "./failure.ts";
import type { Paint } from "./paint.ts";
import { plainText } from "./plain-text.ts";

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

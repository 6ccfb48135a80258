import type { Failure } from "./failure.ts";
import type { Paint } from "./paint.ts";
import { plainText } from "./plain-text.ts";

/** What a person reads on stderr: what and where, then the way out. */
export function renderFailure(failure: Failure, paint: Paint): string {
  const { errors = [], fix } = failure.details;
  const [first = "", ...rest] = failure.message.split("\n");
  const lines = [`${paint("bad", "✗")} ${plainText(first)}`, ...rest.map((line) => `  ${plainText(line)}`)];
  for (const { pointer, message } of errors)
    lines.push(`  ${paint("strong", plainText(pointer || "the body"))}: ${plainText(message)}`);
  if (fix) lines.push(...fix.split("\n").map((line) => `  ${paint("dim", line)}`));
  return `${lines.join("\n")}\n`;
}

/** What a program reads on stdout with --json. */
export function failureDocument(failure: Failure) {
  const { code, fix, errors, extra } = failure.details;
  return {
    error: { code, message: failure.message, ...(fix ? { fix } : {}), ...(errors?.length ? { errors } : {}), ...extra },
  };
}

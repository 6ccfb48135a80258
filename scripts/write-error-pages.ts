/** Writes docs/errors/<code>.md from the table of error codes: `node scripts/write-error-pages.ts`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ErrorCode, type ErrorCodeEntry, errorCodes, resendAdvice } from "../server/contract/error-codes.ts";

export const errorPagesFolder = join(import.meta.dirname, "../docs/errors");

/** File names and their texts. */
export function errorPages(): Map<string, string> {
  const entries = Object.entries(errorCodes) as [ErrorCode, ErrorCodeEntry][];
  const pages = entries.map(([code, entry]): [string, string] => [`${code}.md`, errorPage(code, entry)]);
  return new Map([["README.md", index(entries)], ...pages]);
}

function errorPage(code: ErrorCode, entry: ErrorCodeEntry): string {
  const { status, title, why, fix } = entry;
  return `# ${title}

\`${code}\`, answered with status ${status}.

## Why

${why}

## What to do

${fix}

${resendAdvice(entry)}
`;
}

function index(entries: [ErrorCode, ErrorCodeEntry][]): string {
  const rows = entries.map(([code, { status, title }]) => `| [\`${code}\`](${code}.md) | ${status} | ${title} |`);
  return `# Errors

Every error is answered as a problem (RFC 9457, \`application/problem+json\`): \`type\`, \`title\`, \`status\`, \`code\`, \`detail\`, and
\`errors\` where a schema did not hold. \`type\` is \`/errors/<code>\`, a page on the service itself.

| code | status | meaning |
|---|---|---|
${rows.join("\n")}
`;
}

if (import.meta.main) {
  mkdirSync(errorPagesFolder, { recursive: true });
  for (const [name, text] of errorPages()) writeFileSync(join(errorPagesFolder, name), text);
}

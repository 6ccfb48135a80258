/** Writes docs/errors/<code>.md from the table of error codes: `node scripts/write-error-pages.ts`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ErrorCode, type ErrorCodeEntry, errorCodes, resendAdvice } from "../server/contract/error-codes.ts";

export const errorPagesFolder = join(import.meta.dirname, "../docs/errors");

/** The Markdown of each file, by file name. */
export function errorPages(): Map<string, string> {
  const entries = Object.entries(errorCodes) as [ErrorCode, ErrorCodeEntry][];
  const pages = entries.map(([code, entry]): [string, string] => [`${code}.md`, errorPage(code, entry)]);
  return new Map([["README.md", index(entries)], ...pages]);
}

function errorPage(code: ErrorCode, entry: ErrorCodeEntry): string {
  const { status, title, why, fix } = entry;
  return `# ${title}

\`${code}\`, status ${status}.

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

Every error response is a problem (RFC 9457, \`application/problem+json\`) with \`type\`, \`title\`, \`status\`, \`code\` and \`detail\`.
If a value does not match a schema, \`errors\` lists what is wrong and where. \`type\` is \`/errors/<code>\`: the service has a page for each.

| code | status | meaning |
|---|---|---|
${rows.join("\n")}
`;
}

if (import.meta.main) {
  mkdirSync(errorPagesFolder, { recursive: true });
  for (const [name, text] of errorPages()) writeFileSync(join(errorPagesFolder, name), text);
}

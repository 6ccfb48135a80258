/** Writes docs/openapi.json from the routes, and the types of `signalbox/client`: `node scripts/write-openapi.ts`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "../server/http/rest/rest-app.ts";
import { writeClientFiles } from "./write-client-types.ts";

export const openApiFile = join(import.meta.dirname, "../docs/openapi.json");

export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`;
}

if (import.meta.main) {
  writeFileSync(openApiFile, openApiText());
  writeClientFiles();
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { packageRoot } from "../../server/paths.ts";

const packageSchema = z.object({ version: z.string() });

/** The version of this signalbox. */
export function packageVersion(): string {
  return packageSchema.parse(JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"))).version;
}

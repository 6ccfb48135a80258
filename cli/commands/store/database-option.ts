import { readDatabaseUrl, type Settings, SettingsError } from "../../../server/config.ts";
import { usageFailure } from "../../terminal/failure.ts";

/** The database of `--from` or `--to`. Throws a usage Failure. */
export function readDatabaseOption(name: string, url: string, projectDir: string): Settings["database"] {
  try {
    return readDatabaseUrl(url, projectDir, name);
  } catch (error) {
    if (error instanceof SettingsError) throw usageFailure(error.message);
    throw error;
  }
}

import { readClientSettings } from "../../server/config.ts";
import { Failure } from "../terminal/failure.ts";
import { findRunningServer } from "./running-server.ts";

/** The URL of the running service: SIGNALBOX_URL, or the service of the project on this machine. */
export function findServiceUrl(projectDir: string): string {
  const running = findRunningServer(projectDir);
  const url = readClientSettings()?.url ?? running?.localUrl ?? running?.url;
  if (url) return url;
  throw new Failure(`No service runs for ${projectDir}.`, {
    code: "not_running",
    fix: "Start it with `signalbox dev` or `signalbox start`, or set SIGNALBOX_URL to its address.",
  });
}

import { readClientSettings } from "../../../server/config.ts";
import { findRunningServer } from "../../api/running-server.ts";
import type { CommandContext } from "../command-context.ts";

/** Prints a message if no service on this machine would execute the run. */
export function notifyIfIdle({ projectDir, notify }: Pick<CommandContext, "projectDir" | "notify">): void {
  if (readClientSettings() || findRunningServer(projectDir)) return;
  notify("No service runs for this project. The run waits until you start `signalbox dev` or `signalbox start`.");
}

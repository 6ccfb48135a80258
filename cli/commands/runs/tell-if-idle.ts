import { readClientSettings } from "../../../server/config.ts";
import { findRunningServer } from "../../api/running-server.ts";
import type { CommandContext } from "../command-context.ts";

/** Says so when nothing on this machine would carry out what was just asked for. */
export function tellIfIdle({ projectDir, tell }: Pick<CommandContext, "projectDir" | "tell">): void {
  if (readClientSettings() || findRunningServer(projectDir)) return;
  tell("No service runs for this project. The run waits until you start `signalbox dev` or `signalbox start`.");
}

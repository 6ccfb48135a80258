import { cliFile } from "./project.ts";

/** `signalbox` as `startService` runs it, in a terminal of its own: what it shows to a person only, it shows here. */
export const inTerminal = ["sh", "-c", 'exec script -qefc "$*" /dev/null', "sh", process.execPath, cliFile];

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { summarizeProfile } from "./top-functions.ts";

/** Prints where the processes of the service spent their time, the busiest process first. */
export function printProfiles(folder: string): void {
  const files = readdirSync(folder).filter((name) => name.endsWith(".cpuprofile"));
  const profiles = files
    .map((name) => ({
      file: join(folder, name),
      ...summarizeProfile(JSON.parse(readFileSync(join(folder, name), "utf8")), 30),
    }))
    .filter(({ busyMs }) => busyMs > 500);
  for (const { file, program, busyMs, idleMs, functions } of profiles.sort((a, b) => b.busyMs - a.busyMs).slice(0, 6)) {
    console.log(
      `\n${program}: busy ${Math.round(busyMs)} ms, idle ${Math.round(idleMs)} ms; ${file} opens in the developer tools of a browser`,
    );
    for (const { name, place, ms, part } of functions)
      console.log(
        `${(part * 100).toFixed(1).padStart(6)} %${String(Math.round(ms)).padStart(7)} ms  ${name}  ${place}`,
      );
  }
}

import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join } from "node:path";

/**
 * Loaded into every process of a service by `--import`: SIGUSR2 begins a profile, and the next one writes it. The
 * profile does not contain the start of the process.
 */
const folder = new URL(import.meta.url).searchParams.get("folder") ?? ".";
let session: Session | null = null;

process.on("SIGUSR2", () => {
  if (session) return end(session);
  session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.start");
});

function end(running: Session): void {
  session = null;
  running.post("Profiler.stop", (error, answer) => {
    if (!error)
      writeFileSync(
        join(folder, `${process.pid}.cpuprofile`),
        JSON.stringify({ ...answer.profile, program: process.argv[1] }),
      );
    running.disconnect();
  });
}

import { openApi } from "./api/open-api.ts";
import { runCli } from "./commands/run-cli.ts";
import { createTerminal } from "./terminal/terminal.ts";

const terminal = createTerminal({
  stdout: process.stdout,
  stderr: process.stderr,
  onReaderGone: () => process.exit(0),
});
// A command may wait for nothing but the store, whose watch keeps no process alive.
const alive = setInterval(() => {}, 2 ** 30);
const exitCode = await runCli(process.argv.slice(2), {
  terminal,
  cwd: process.cwd(),
  stdin: process.stdin,
  now: Date.now,
  openApi,
});
clearInterval(alive);

// Nothing is left to do, whatever a library may keep open; what was written is let out first.
process.stdout.write("", () => process.stderr.write("", () => process.exit(exitCode)));

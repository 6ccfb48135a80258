import { openApi } from "./api/open-api.ts";
import { runCli } from "./commands/run-cli.ts";
import { createTerminal } from "./terminal/terminal.ts";

const terminal = createTerminal({
  stdout: process.stdout,
  stderr: process.stderr,
  onReaderGone: () => process.exit(0),
});
// A command may wait only for the store, whose watcher does not keep the process alive.
const alive = setInterval(() => {}, 2 ** 30);
const exitCode = await runCli(process.argv.slice(2), {
  terminal,
  cwd: process.cwd(),
  stdin: process.stdin,
  now: Date.now,
  openApi,
});
clearInterval(alive);

// Flushes the output, then exits even if a library keeps a handle open.
process.stdout.write("", () => process.stderr.write("", () => process.exit(exitCode)));

import { openApi } from "./api/open-api.ts";
import { runCli } from "./commands/run-cli.ts";
import { createTerminal } from "./terminal/terminal.ts";

const terminal = createTerminal({ stdout: process.stdout, stderr: process.stderr, onReaderGone: () => process.exit(0) });
const exitCode = await runCli(process.argv.slice(2), { terminal, cwd: process.cwd(), stdin: process.stdin, now: Date.now, openApi });

// Nothing is left to do, whatever a library may keep open; what was written is let out first.
process.stdout.write("", () => process.stderr.write("", () => process.exit(exitCode)));

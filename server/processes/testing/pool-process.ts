import { createProjectAt, startPool } from "./pool-harness.ts";

/** A worker pool in a process of its own, for tests that kill everything at once. Prints "ready" when it accepts runs. */
await startPool(createProjectAt(process.argv[2] ?? ""));
process.stdout.write("ready\n");

import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findOrInstall } from "../../scripts/test-tools.ts";

/** A clock for the processes of a test, which the test can set. Monotonic clocks and timers are unaffected. */
export interface FakeClock {
  env: NodeJS.ProcessEnv;
  /** Seconds from the real time, from now on and for every process at once. */
  set(offsetSeconds: number): void;
}

export function createFakeClock(dir: string): FakeClock {
  const file = join(dir, "clock");
  const set = (offsetSeconds: number) => {
    writeFileSync(`${file}.next`, `${offsetSeconds < 0 ? "" : "+"}${offsetSeconds}`);
    renameSync(`${file}.next`, file);
  };
  set(0);
  const monotonic = { FAKETIME_DONT_FAKE_MONOTONIC: "1", DONT_FAKE_MONOTONIC: "1" };
  return {
    env: {
      LD_PRELOAD: findOrInstall("libfaketime"),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      NO_FAKE_STAT: "1",
      ...monotonic,
    },
    set,
  };
}

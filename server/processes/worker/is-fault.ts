const faults: ReadonlySet<string> = new Set(["SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS"]);

/**
 * Whether this signal means that the process aborted itself, or that the system ended it because of its own code. All
 * other signals come from outside.
 */
export function isFault(signal: string): boolean {
  return faults.has(signal);
}

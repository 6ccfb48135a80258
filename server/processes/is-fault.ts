const faults: ReadonlySet<string> = new Set(["SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS"]);

/**
 * Whether a process ends itself by this signal, or the system ends it for what its own code did. By others it is killed
 * from outside.
 */
export function isFault(signal: string): boolean {
  return faults.has(signal);
}

/**
 * How long the runs of a worker stay its own after the last heartbeat. Including the check interval, other workers
 * take over within 15 seconds.
 */
export const leaseMs = 12_000;

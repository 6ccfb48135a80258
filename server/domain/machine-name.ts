/**
 * Composes the name that identifies a machine in a shared store: its host name and, in a container, the namespace of
 * its process IDs.
 */
export function composeMachineName(host: string, namespace: string | null): string {
  return namespace === null ? host : `${host} ${namespace}`;
}

/** The part for people: the host name. */
export function hostOf(machine: string): string {
  return machine.replace(/ pid:\[\d+\]$/, "");
}

/**
 * The header in which better-auth looks for the client's address. Only this folder writes it, from the trusted client
 * address.
 */
export const addressHeader = "x-signalbox-client";

export function addressHeaders(address: string | null): Record<string, string> {
  return address === null ? {} : { [addressHeader]: address };
}

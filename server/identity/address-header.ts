/** Where better-auth looks for the address of the browser. Only this folder writes it, from what the door knows. */
export const addressHeader = "x-signalbox-client";

export function addressHeaders(address: string | null): Record<string, string> {
  return address === null ? {} : { [addressHeader]: address };
}

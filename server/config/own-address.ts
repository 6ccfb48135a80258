import { BlockList, isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

/** Listening on these is possible on every machine. */
const everywhere = createAddressList(["0.0.0.0", "::", "::1"]);
everywhere.addSubnet("127.0.0.0", 8, "ipv4");

/** Whether `host` is an IP address of this machine, of all its interfaces, or `localhost`. */
export function isOwnAddress(host: string, addresses: readonly string[] = listAddresses()): boolean {
  if (host === "localhost" || addresses.includes(host)) return true;
  if (isIP(host) === 0) return false;
  return [everywhere, createAddressList(addresses)].some((list) => list.check(host, familyOf(host)));
}

function listAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((own = []) => own.map(({ address }) => address));
}

/** Compares addresses in every notation: `::1` is `0:0:0:0:0:0:0:1`. */
function createAddressList(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const address of addresses) list.addAddress(address, familyOf(address));
  return list;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}

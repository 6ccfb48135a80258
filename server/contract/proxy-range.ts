import { z } from "zod";

/** An IP address or a CIDR range. A range of all addresses is rejected: any client could forge its address. */
export const proxyRangeSchema = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: "Must be an IP address or a range, e.g. 10.0.0.0/8" })
  .refine((range) => !range.endsWith("/0"), "Must not be a range of all addresses: any client could forge its address");

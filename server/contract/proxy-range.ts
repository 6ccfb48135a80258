import { z } from "zod";

/** An IP address, or a CIDR range of them. Not all addresses there are: then anybody could say who they are. */
export const proxyRangeSchema = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: "Not an IP address or a range such as 10.0.0.0/8" })
  .refine((range) => !range.endsWith("/0"), "A range of all addresses would believe everybody");

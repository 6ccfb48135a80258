import { z } from "zod";

export default z.object({
  größe: z.string(;
});

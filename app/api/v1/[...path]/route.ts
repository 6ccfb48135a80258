import { signalbox } from "../../../server.ts";

/** Our server handles /api/v1 before Next. This route is used only when Next runs alone. */
const handle = async (request: Request) => (await signalbox()).rest(request);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};

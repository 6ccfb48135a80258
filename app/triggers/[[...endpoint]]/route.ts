import { signalbox } from "../../server.ts";

/**
 * Our server receives webhooks before Next. This route is used only when Next runs alone. The pipeline handles every
 * method.
 */
const handle = async (request: Request) => (await signalbox()).ingestFetch(request);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};

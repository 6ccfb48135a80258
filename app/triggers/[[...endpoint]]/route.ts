import { signalbox } from "../../server.ts";

/** Our own server answers webhooks before Next; this is for where only Next runs. The pipeline answers every method. */
const answer = async (request: Request) => (await signalbox()).ingestFetch(request);

export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
};

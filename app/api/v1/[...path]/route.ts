import { signalbox } from "../../../server.ts";

/** Our own server answers /api/v1 before Next; this is for where only Next runs. */
const answer = async (request: Request) => (await signalbox()).rest(request);

export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
};

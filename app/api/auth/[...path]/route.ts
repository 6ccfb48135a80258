import { signalbox } from "../../../server.ts";

/** Our own server answers /api/auth before Next; this is for where only Next runs. */
const answer = async (request: Request) => (await signalbox()).auth(request);

export { answer as GET, answer as POST };

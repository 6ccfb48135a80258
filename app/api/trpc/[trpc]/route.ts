import { signalbox } from "../../../server.ts";

/** Our own server answers /api/trpc before Next; this is for where only Next runs. Bodies are bounded behind it. */
const answer = async (request: Request) => (await signalbox()).trpc(request);

export { answer as GET, answer as POST };

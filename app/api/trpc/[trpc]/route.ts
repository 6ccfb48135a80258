import { signalbox } from "../../../server.ts";

const answer = async (request: Request) => (await signalbox()).trpc(request);

export { answer as GET, answer as POST };

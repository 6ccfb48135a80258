import { signalbox } from "../../../server.ts";

/** Everything here only reads, so GET is enough, and there are no bodies to bound. */
export const GET = async (request: Request) => (await signalbox()).trpc(request);

import { signalbox } from "../../../server.ts";

/** Our server handles /api/trpc before Next. This route is used only when Next runs alone. The handler limits bodies. */
const handle = async (request: Request) => (await signalbox()).trpc(request);

export { handle as GET, handle as POST };

import { signalbox } from "../../../server.ts";

/** Our server handles /api/auth before Next. This route is used only when Next runs alone. */
const handle = async (request: Request) => (await signalbox()).auth(request);

export { handle as GET, handle as POST };

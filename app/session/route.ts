import { signalbox } from "../server.ts";

/** The sign-in form of a deployed service posts here; without a token it signs out. */
export const POST = async (request: Request) => (await signalbox()).signIn(request);

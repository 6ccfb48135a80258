import { signalbox } from "../server.ts";

export const GET = async (request: Request) => (await signalbox()).rest(request);

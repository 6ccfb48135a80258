import { socket } from "../run-channel/socket.ts";
export const connected = socket;

import { frame } from "../shell/frame.ts";
export const framed = frame;

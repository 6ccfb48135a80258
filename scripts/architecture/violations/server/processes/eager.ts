import { tools } from "../mcp/listed.ts";
export const loaded = tools;

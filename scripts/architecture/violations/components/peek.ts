import { rows } from "../server/store/rows.ts";
export const peek = rows;

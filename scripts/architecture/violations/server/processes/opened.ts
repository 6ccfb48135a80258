import { rows } from "../store/rows.ts";

export const opened = rows;

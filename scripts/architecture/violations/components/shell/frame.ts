export const frame = "frame";

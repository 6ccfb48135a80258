export const socket = 1;

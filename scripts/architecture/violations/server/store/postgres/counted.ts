export const counted = 1;

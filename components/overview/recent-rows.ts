/** How many runs and deliveries the start page shows; the server reads ahead as many. */
export const recentRows = 20;

/** The number of redeliveries listed on a delivery's page, newest first. */
export const redeliveriesShown = 5;

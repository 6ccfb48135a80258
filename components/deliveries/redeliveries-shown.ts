/** So many of the newest redeliveries are named on a delivery's page. */
export const redeliveriesShown = 5;

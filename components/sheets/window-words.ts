export const windowLabels = {
  "15m": "in the last 15 minutes",
  "1h": "in the last hour",
  "24h": "in the last 24 hours",
  "7d": "in the last 7 days",
};

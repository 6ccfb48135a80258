/** US dollars: whole cents, and below a dollar as many digits as it takes to be no zero: `$4.10`, `$0.025`, `$0.0031`. */
export function sayUsd(usd: number): string {
  if (usd === 0 || usd >= 1) return `$${usd.toFixed(2)}`;
  if (usd >= 0.01) return `$${usd.toFixed(3).replace(/0$/, "")}`;
  // The ledger keeps a billionth.
  return `$${Number(usd.toPrecision(2)).toFixed(9).replace(/0+$/, "")}`;
}

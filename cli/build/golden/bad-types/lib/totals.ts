interface Line {
  title: string;
  price: { cents: number; currency: "EUR" | "USD" };
}

export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, { price }) => sum + price.cent, 0);
}

export const shipping: Line = { title: "Shipping", price: { cents: 490, currency: "CHF" } };

export const describe: (line: Line) => string = (line: { title: string; price: { cents: string } }) => line.title;

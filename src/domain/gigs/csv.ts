/** What a spreadsheet would take for a formula, or for a command before one. */
const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;

function cellText(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * A record of a CSV file as RFC 4180 says, with its line break; null is an empty field. A text that a spreadsheet would
 * run as a formula gets an apostrophe before it.
 */
export function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map(cellText).join(',')}\r\n`;
}

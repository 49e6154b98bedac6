/** Takes the place of a JSON number that JavaScript's numbers do not hold exactly. No field accepts it. */
interface InexactNumber {
  /** The number as it was written. */
  readonly 'inexact number': string;
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** A decimal without its sign, as significant digits and the exponent of the last one; null for what is none. */
function significant(text: string): string | null {
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (whole === undefined) return null;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/(?<!0)0+$/, '');
  return kept === '' ? '0' : `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

export function isInexactNumber(value: unknown): value is InexactNumber {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'inexact number');
}

/** A parsed text, and whether it has numbers that lost digits. */
export interface ExactJson {
  readonly value: unknown;
  readonly hasInexact: boolean;
}

/**
 * Parses JSON as `JSON.parse` does, but for numbers whose digits a JavaScript number loses: what is read of them is not
 * what was sent, so they become something that no field accepts.
 * @throws SyntaxError when the text is not JSON; RangeError when it is nested too deeply
 */
export function parseExactJson(text: string): ExactJson {
  let hasInexact = false;
  const value: unknown = JSON.parse(text, (_key, parsed: unknown, context?: { readonly source?: string }) => {
    const source = context?.source;
    if (typeof parsed !== 'number' || source === undefined) return parsed;
    if (significant(source) === significant(String(parsed))) return parsed;
    hasInexact = true;
    return { 'inexact number': source } satisfies InexactNumber;
  });
  return { value, hasInexact };
}

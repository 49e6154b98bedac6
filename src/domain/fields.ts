import { z } from 'zod';
import { decimalText } from './amount.ts';
import { isInexactNumber } from './exact-json.ts';

/** One of some words. */
export function oneOf<const Values extends readonly string[]>(field: string, values: Values) {
  return z.enum(values, `${field} must be one of ${values.join(', ')}`);
}

/** A whole number within bounds. */
export function wholeField(field: string, [least, most]: readonly [number, number]) {
  const message = `${field} must be a whole number from ${least} to ${most}`;
  return z.int(message).min(least, message).max(most, message);
}

/** What is wrong with a field that is no positive amount. */
export function amountProblem(field: string): string {
  return `${field} must be a positive decimal number such as 10 or "0.5", without sign or exponent`;
}

/** A positive amount in whole tokens: a JSON number, or text for amounts beyond a number's precision. */
export function amountField(field: string) {
  const message = amountProblem(field);
  const error = ({ input }: { readonly input?: unknown }) =>
    isInexactNumber(input) ? `${field} has more digits than a JSON number holds: send it as a string` : message;
  return z.union([z.number(), z.string()], { error }).transform((value, context) => {
    const text = decimalText(value);
    if (text !== null) return text;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

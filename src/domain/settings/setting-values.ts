import { z } from 'zod';

// What the values of settings are made of. What is said of a wrong one never has the value.

export const settingText = z.string().trim().min(1, 'must not be empty');

export const settingHandle = settingText
  .regex(/^@?[A-Za-z0-9_.-]+$/, 'must be a username: letters, digits, _, . and - only')
  .transform((name) => name.replace(/^@/, ''));

export const settingId = settingText.regex(
  /^[1-9][0-9]{0,18}$/,
  'must be a positive whole number of at most 19 digits',
);

/** No slash at its end. */
export const settingUrl = settingText
  .refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), 'must be an http or https URL')
  .transform((value) => value.replace(/\/+$/, ''));

/** A comma-separated list of at least one item; `readItem` answers null for a text that is none. */
export function settingList<Item extends string>(readItem: (item: string) => Item | null, message: string) {
  const items = (value: string) => value.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
  return settingText
    .transform((value) => items(value).map(readItem))
    .refine((read) => read.length > 0 && read.every((item) => item !== null), message)
    .transform((read) => read.filter((item) => item !== null));
}

export function settingNumber(bounds: { min: number; max: number }) {
  const message = `must be a whole number from ${bounds.min} to ${bounds.max}`;
  return settingText
    .regex(/^[0-9]+$/, message)
    .transform(Number)
    .refine((value) => value >= bounds.min && value <= bounds.max, message);
}

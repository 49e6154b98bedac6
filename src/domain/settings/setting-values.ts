import { z } from 'zod';

// What the values of settings are made of. What is said of a wrong one never has the value.

/** Texts that no setting has: how a value looks that was not meant so, and what it must be. */
const NO_VALUES: readonly (readonly [looksLike: RegExp, problem: string])[] = [
  // Blanks before a quote at the end: a command, such as that of psql, whose own setting says more.
  [
    /^["'`“”‘’]|^\S*["'`“”‘’]$/,
    'must stand without quotes: here they are part of the value, as docker --env-file keeps them',
  ],
  [/\$\{|\$\(|^\$\w+$/, 'must be the value itself: its $ was not filled in'],
  [/^<.*>$/, 'must be the value itself, not the <…> of an example'],
];

/** A text that `problemOf` answers null for; else its answer is what is wrong. */
function without(text: z.ZodString, problemOf: (text: string) => string | null) {
  return text.refine((value) => problemOf(value) === null, {
    abort: true,
    error: ({ input }) => problemOf(String(input)) ?? undefined,
  });
}

/** The reader that every setting begins with: a text without the blanks around it, in none of the forms of {@link NO_VALUES}. */
export const settingText = without(
  z.string().trim().min(1, 'must not be empty'),
  (text) => NO_VALUES.find(([looksLike]) => looksLike.test(text))?.[1] ?? null,
);

/** A text of which `problemOf` says what is wrong, without the text itself; null when it is right. */
export function settingWithout(problemOf: (text: string) => string | null) {
  return without(settingText, problemOf);
}

/** One of a few words. */
export function settingChoice<const Word extends string>(words: readonly [Word, ...Word[]]) {
  const last = words.length === 2 ? words.join(' or ') : `one of ${words.join(', ')}`;
  return settingText.pipe(z.enum(words, `must be ${last}`));
}

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
  .transform((value) => value.replace(/(?<!\/)\/+$/, ''));

/** A comma-separated list of at least one item; `readItem` answers null for a text that is none. */
export function settingList<Item extends string>(readItem: (item: string) => Item | null, message: string) {
  const items = (value: string) => value.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
  return settingText
    .pipe(z.string().transform(items).pipe(z.array(settingText)))
    .transform((texts) => texts.map(readItem))
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

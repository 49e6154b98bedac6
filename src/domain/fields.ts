import { isAddress } from 'viem/utils';
import { z } from 'zod';
import type { Platform } from './account.ts';
import { decimalText } from './amount.ts';
import { isInexactNumber } from './exact-json.ts';
import type { Address } from './gigs/token.ts';
import { type EnsName, isNameMeant, type NameProblem, readName } from './names/ens-name.ts';
import { listPlatforms, platformNamed, platformNames } from './platforms/platforms.ts';

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

/** Control characters and direction overrides, which can change how the rest is shown; line breaks and tabs pass. */
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;

/** A display text, trimmed when parsed; null when it is empty or absent. */
export function freeText(field: string, limit: number) {
  const message = `${field} must be a string of at most ${limit} characters`;
  return z
    .string(message)
    .max(limit, message)
    .refine((text) => !CONTROLS.test(text.replace(/[\n\r\t]/g, '')), `${field} must not contain control characters`)
    .nullish()
    .transform((text) => text?.trim() || null);
}

/** A platform by its id or slug. */
export function platformField(field: string) {
  return oneOf(field, platformNames()).transform((name): Platform => platformNamed(name) ?? name);
}

/** An address, lower-cased when parsed; one in mixed case must pass its EIP-55 checksum. */
export function addressField(field: string) {
  const message = `${field} must be an address: 0x and 40 hex digits in lower case, or in mixed case with a valid checksum`;
  return z
    .string(message)
    .refine((text) => isAddress(text), message)
    .transform((text): Address => `0x${text.slice(2).toLowerCase()}`);
}

/** As {@link addressField}, or a whole name of ENS, which is resolved later. */
export function addressOrNameField(field: string) {
  const address = addressField(field);
  const unfit = `${field} must be an address, or a name as ENS writes it, such as alice.eth, without mixed scripts`;
  return z.string(unfit).transform((text, context): Address | EnsName => {
    const read = isNameMeant(text) ? readName(text) : null;
    if (read !== null && 'name' in read) return read.name;
    const parsed = address.safeParse(text);
    if (parsed.success) return parsed.data;
    const message = read === null ? (parsed.error.issues[0]?.message ?? unfit) : nameProblemOf(field, read, unfit);
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

function nameProblemOf(field: string, problem: NameProblem, unfit: string): string {
  return problem.kind === 'written_otherwise' ? `${field} must be written as ENS writes it: ${problem.written}` : unfit;
}

/** A whole number within bounds; null when absent. */
export function countField(field: string, { least, most }: { least: number; most: number }) {
  const message = `${field} must be a whole number from ${least} to ${most}`;
  return z
    .int(message)
    .min(least, message)
    .max(most, message)
    .nullish()
    .transform((count) => count ?? null);
}

/** What the id of an account is: `a Farcaster FID or an X user id`. */
export const USER_ID_NOUNS = listPlatforms('or', ({ userIdNoun }) => userIdNoun);
const USER_ID = `platform_user_id must be ${USER_ID_NOUNS}: a positive whole number of at most 20 digits, as a string if it has more than 15`;

const HANDLE = 'username must be a handle: 1 to 64 letters, digits, _, . or -';

/** An account's id, as text or as a safe integer. @param hint the end of its error: how to find an id */
export function userIdFieldWith(hint: string) {
  const message = `${USER_ID}${hint}`;
  // Ids on X have 64 bits: JSON.parse rounds a larger number, so it may already be another account's id.
  return z
    .union([z.string(), z.int().transform(String)], message)
    .refine((text) => /^[1-9][0-9]{0,19}$/.test(text), message);
}

export const userIdField = userIdFieldWith('');

/** The handle of an account, without the `@` when parsed. */
export const usernameField = z
  .string(HANDLE)
  .regex(/^@?[A-Za-z0-9_.-]{1,64}$/, HANDLE)
  .nullish()
  .transform((name) => name?.replace(/^@/, '') ?? null);

/** Whether a URL is at this machine. */
export function isLocalHost({ hostname }: URL): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])$/u.test(hostname);
}

/** Whether a service is reached by https from elsewhere: there endpoints at private addresses, which are for tests, are refused. */
export function isExposed(publicUrl: string | null): boolean {
  const url = publicUrl === null ? null : new URL(publicUrl);
  return url?.protocol === 'https:' && !isLocalHost(url);
}

/** Whether what is sent to a URL can be read by its host alone: https, or plain http to this machine. */
export function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocalHost(url));
}

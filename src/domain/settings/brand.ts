import { isSafe } from '../fields.ts';
import { type Accent, accentProblem, readAccent } from './accent.ts';
import { settingText, settingWithout } from './setting-values.ts';

/** How the operator calls the service and colors it. Null: as gigclaim does. */
export interface Brand {
  readonly name: string | null;
  readonly accent: Accent | null;
  /** A `mailto:` or `https:` URL. */
  readonly contact: string | null;
  readonly terms: string | null;
}

/** A mini app's manifest takes no longer name. */
const LONGEST_NAME = 32;
/** Letters of every script, and signs that a page, a manifest, a chat and a wallet show as they are. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} .,:'’()_]|-(?!-))*$/u;

/** Composed, as pages and manifests have it: its length may change by that. */
const composed = (text: string) => text.normalize('NFC');

function nameProblem(text: string): string | null {
  if (composed(text).length > LONGEST_NAME) return `must have at most ${LONGEST_NAME} characters`;
  return NAME.test(text)
    ? null
    : "must have only letters, digits, spaces and . , : ' ( ) _ -, and begin with a letter or digit";
}

const MAIL = /^[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z0-9-]{2,63}$/i;

function readLink(text: string): string | null {
  const url = URL.parse(text);
  return url !== null && isSafe(url) && url.username === '' && url.password === '' ? url.href : null;
}

function readContact(text: string): string | null {
  const mail = text.replace(/^mailto:/i, '');
  return MAIL.test(mail) ? `mailto:${mail}` : readLink(text);
}

function settingLink(read: (text: string) => string | null, message: string) {
  return settingText
    .transform(read)
    .refine((link) => link !== null, message)
    .nullable()
    .default(null);
}

export const BRAND_SETTINGS = {
  SITE_NAME: settingWithout(nameProblem).transform(composed).nullable().default(null),
  SITE_ACCENT: settingWithout(accentProblem).transform(readAccent).nullable().default(null),
  OPERATOR_CONTACT: settingLink(readContact, 'must be a mail address or an https URL'),
  SITE_TERMS_URL: settingLink(readLink, 'must be an https URL'),
};

/** The brand of these settings. */
export function brandOf(read: {
  readonly SITE_NAME: string | null;
  readonly SITE_ACCENT: Accent | null;
  readonly OPERATOR_CONTACT: string | null;
  readonly SITE_TERMS_URL: string | null;
}): Brand {
  const { SITE_NAME: name, SITE_ACCENT: accent, OPERATOR_CONTACT: contact, SITE_TERMS_URL: terms } = read;
  return Object.freeze({ name, accent, contact, terms });
}

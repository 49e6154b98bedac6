/** Takes secrets out of a text. */
export type Hide = (text: string) => string;

/** A secret in the forms in which services repeat it. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inJson = JSON.stringify(secret).slice(1, -1);
  const coded = (['base64', 'base64url', 'hex'] as const).map((code) => bytes.toString(code).replace(/={1,2}$/, ''));
  return [secret, inJson, inJson.replaceAll('/', '\\/'), encodeURIComponent(secret), ...coded];
}

/** Takes these secrets out, in whatever case and whatever stands between their words. */
export function createHiding(secrets: readonly string[]): Hide {
  const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(formsOf))];
  // A short one may be a part of a long one.
  const patterns = forms
    .toSorted((one, other) => other.length - one.length)
    .map((form) => RegExp.escape(form).replaceAll('\\x20', '[\\s,"+]{1,9}'));
  if (patterns.length === 0) return storable;
  const pattern = new RegExp(patterns.join('|'), 'gi');
  return (text) => storable(text).replace(pattern, '[secret]');
}

/** PostgreSQL stores neither NUL nor half of a pair. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Keys, tokens and signatures mix letters and digits; names and words do not. */
function hideToken(word: string): string {
  return /\d/.test(word) && /[a-z]/i.test(word) ? '[token]' : word;
}

/** What is taken out of a body, in this order: first what is named a secret, in JSON, a header or a query. */
const HIDDEN: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [
    /(?<=(?:api[_-]?key|password|passwd|secret|mnemonic|private[_-]?key|access[_-]?token)\\?["']?\s{0,5}[:=]\s{0,5}\\?["']?)(?:(?<=")[^"\\]+|[^\s"'&,;<>\\]+)/gi,
    '[secret]',
  ],
  [/\b(bearer|basic)\s+[^\s"']{6,}/gi, '[secret]'],
  [/\bhttps?:\/\/[^\s"'/@]*@/gi, 'https://[secret]@'],
  [/(?<=https?:\/\/[^\s"'?<>]{1,500})\?[^\s"'<>\\]+/gi, '?[query]'],
  [/(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{1,64}/g, '[mail]'],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '[id]'],
  [/0x[0-9a-f]{3,}(?:…|\.{2,3})[0-9a-f]{3,}/gi, '[hex]'],
  [/(?:0x)?[0-9a-f]{16,}/gi, '[hex]'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, '[ip]'],
  [/\b(?:[0-9a-f]{1,4}:){4,7}[0-9a-f:]*/gi, '[ip]'],
  [/(?<![A-Za-z0-9/:.+])[A-Za-z0-9+/]{32,}={0,2}/g, hideToken],
  [/[A-Za-z0-9_\-+=~%]{20,}/g, hideToken],
  [/\d{10,}/g, '[number]'],
];

/** Takes out what looks like a secret or a person's, whatever it is. */
export const withoutLikely: Hide = (text) =>
  HIDDEN.reduce(
    (rest, [pattern, by]) => (typeof by === 'string' ? rest.replace(pattern, by) : rest.replace(pattern, by)),
    text,
  );

import { createHmac, timingSafeEqual } from 'node:crypto';

const X_PREFIX = 'sha256=';

/**
 * The characters of a webhook challenge. X signs bodies and challenges with the same key and algorithm, so a signed
 * arbitrary challenge could pass as an event with that body; JSON needs characters outside this set.
 */
const CHALLENGE = /^[A-Za-z0-9+/=_-]{16,128}$/;

/** Compares in a time that depends only on the lengths. */
function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * Whether `signature` is the hex HMAC-SHA512 of these exact bytes under any of the secrets: Neynar's
 * `X-Neynar-Signature` (docs.neynar.com, how-to-verify-the-incoming-webhooks-using-signatures). An empty secret
 * verifies nothing.
 */
export function verifyNeynarSignature(
  rawBody: Uint8Array,
  signature: string | undefined,
  secrets: readonly string[],
): boolean {
  if (signature === undefined) return false;
  const matches = secrets
    .filter((secret) => secret !== '')
    .map((secret) => sameText(signature, createHmac('sha512', secret).update(rawBody).digest('hex')));
  return matches.includes(true);
}

function xSignature(content: Uint8Array | string, appSecret: string): string {
  return X_PREFIX + createHmac('sha256', appSecret).update(content).digest('base64');
}

/**
 * Whether `signature` is `sha256=` and the base64 HMAC-SHA256 of these exact bytes under the app's secret: X's
 * `x-twitter-webhooks-signature` (docs.x.com, x-api/webhooks/quickstart). An empty secret verifies nothing.
 */
export function verifyXSignature(rawBody: Uint8Array, signature: string | undefined, appSecret: string): boolean {
  if (signature === undefined || appSecret === '') return false;
  return sameText(signature, xSignature(rawBody, appSecret));
}

/** X's `response_token` for a webhook challenge, or null when the token is not one that X would send. */
export function answerXChallenge(crcToken: string, appSecret: string): string | null {
  if (appSecret === '' || !CHALLENGE.test(crcToken)) return null;
  return xSignature(crcToken, appSecret);
}

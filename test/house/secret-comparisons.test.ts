import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../..', 'src');
const CRYPTO = /\b(createHmac|createHash|timingSafeEqual|scrypt|pbkdf2|hash)(?:Sync)?\(/g;

/** Which files of the service compute or compare digests, and with what. The sandbox plays other people's servers. */
function users(): Record<string, string[]> {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.startsWith('sandbox/'));
  const found = files.map((file): [string, string[]] => {
    const names = [...readFileSync(join(SRC, file), 'utf8').matchAll(CRYPTO)].map(([, name = '']) => name);
    return [file, [...new Set(names)].sort()];
  });
  return Object.fromEntries(found.filter(([, names]) => names.length > 0));
}

test('security: digests are made and compared in these files, and nowhere else', () => {
  expect(users()).toEqual({
    // Looked up by hash, never compared.
    'services/operators/api-keys.ts': ['createHash'],
    // The form tokens of sessions; sessions themselves are looked up by hash.
    'services/form-token.ts': ['createHash', 'timingSafeEqual'],
    // Names a receiver of alerts in the store without its URL.
    'alerts/receivers.ts': ['createHash'],
    // Names what a chain has done.
    'domain/events/chain-fact.ts': ['createHash'],
    // Names a notification to its platform.
    'domain/notifications/notification.ts': ['createHash'],
    // Names a kind of answers by what they have in common.
    'domain/platforms/odd-answer.ts': ['createHash'],
    // What a draw publishes: its commitment, root, seed and tickets.
    'domain/earning/payouts/draw.ts': ['createHash'],
    // Draws the block in which holdings are read; the secret is never compared.
    'domain/earning/holding/entry.ts': ['createHash'],
    // Names the claim of a tap by what was signed.
    'sign-in/jfs.ts': ['createHash'],
    // Draws a token's picture from its address.
    'http/ui/amounts.ts': ['createHash'],
    // Of bodies, post ids, pages and files, which are no secrets.
    'http/ui/live-page.ts': ['createHash'],
    'http/middleware/cached-file.ts': ['createHash'],
    'http/middleware/idempotency.ts': ['createHash'],
    'services/mentions/send-replies.ts': ['createHash'],
    // Gives a repeated rotation of a secret the same salt.
    'services/events/webhooks.ts': ['createHash'],
    // Of a subject and the ids of instances: which of them takes care of it.
    'services/operators/instances.ts': ['createHash'],
    // Names a gig by the request that created it.
    'services/x402/create-paid-gig.ts': ['createHash'],
    // Of the rows of two databases, which have to be the same.
    'store/copy/digest.ts': ['createHash'],
    // Signs what is sent; nothing is compared.
    'endpoints/secrets.ts': ['createHmac'],
    // Names prepared statements by their text.
    'store/postgres/sql.ts': ['createHash'],
    'platforms/signature.ts': ['createHmac', 'timingSafeEqual'],
    // The seed of a mnemonic, from which wallets derive; nothing is compared.
    'chain/wallets.ts': ['pbkdf2'],
  });
});

test('security: every HMAC that decides something is held against the header in constant time', () => {
  const text = readFileSync(join(SRC, 'platforms/signature.ts'), 'utf8');
  const verifiers = text.split('export function verify').slice(1);
  expect(verifiers).toHaveLength(2);
  for (const verifier of verifiers) {
    const [body = ''] = verifier.split('\n}');
    expect(body).toMatch(/sameText\(signature, /);
    expect(body).not.toMatch(/signature (?:===|!==|==) (?!undefined)/);
  }
});

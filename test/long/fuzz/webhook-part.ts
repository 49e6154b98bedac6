import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import type { LocalPlatform } from '../../../sandbox/networks/network.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { openReceiver } from '../../sandbox/networks/receiver.ts';
import { MIGRATIONS } from '../../support/store.ts';
import { tryCases } from './check.ts';
import { type Delivery, hostileDeliveries } from './deliveries.ts';
import { exchange } from './wire.ts';
import type { World } from './world.ts';

const PATIENCE_MS = 20_000;
const GENUINE = 20;

/** What was delivered, and what became of it. */
export interface WebhookReport {
  readonly deliveries: number;
  /** How many of them bore the signature of their very bytes. */
  readonly signed: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Ids of posts that a signed body held, and with which a mention may therefore be known. */
  readonly signedPosts: ReadonlySet<string>;
  /** Ids of the real posts that were delivered, again and again. */
  readonly genuine: readonly string[];
}

interface Wire {
  readonly path: string;
  readonly header: string;
  /** Every signature of these bytes that is good. */
  signatures(body: Uint8Array): string[];
}

function wireOf(world: World, platform: LocalPlatform): Wire {
  const { farcaster, twitter } = world.credentials;
  if (platform === 'farcaster') {
    const hmac = (secret: string, body: Uint8Array) => createHmac('sha512', secret).update(body).digest('hex');
    return {
      path: '/webhooks/farcaster',
      header: 'x-neynar-signature',
      signatures: (body) => farcaster.webhookSecrets.map((secret) => hmac(secret, body)),
    };
  }
  return {
    path: '/webhooks/twitter',
    header: 'x-twitter-webhooks-signature',
    signatures: (body) => [`sha256=${createHmac('sha256', twitter.appSecret).update(body).digest('base64')}`],
  };
}

/** Real posts by people of the crowd, caught on their way to the service. */
async function catchGenuine(world: World, platform: LocalPlatform): Promise<{ ids: string[]; bodies: Buffer[] }> {
  const network = world[platform];
  const receiver = await openReceiver();
  network.setWebhook(receiver.url);
  const authors = network.users().slice(-GENUINE);
  const ids = authors.map(({ username }) => network.post({ author: username, text: '@gigclaim claims' }).id);
  await network.settled();
  network.setWebhook(`${world.url}/webhooks/${platform}`);
  await receiver.close();
  return { ids, bodies: receiver.received.map(({ body }) => body) };
}

/** The id under which a body's post would be known, or null. */
function postIdIn(body: Uint8Array, platform: LocalPlatform): string | null {
  try {
    const event: { data?: { hash?: unknown; payload?: Record<string, unknown> } } = JSON.parse(
      Buffer.from(body).toString('utf8'),
    );
    const payload = event.data?.payload;
    const history = payload?.['edit_history_post_ids'] ?? payload?.['edit_history_tweet_ids'];
    const id = platform === 'farcaster' ? event.data?.hash : Array.isArray(history) ? history[0] : payload?.['id'];
    return typeof id === 'string' ? id.toLowerCase() : null;
  } catch {
    return null;
  }
}

/**
 * Delivers to a network's webhook what was signed, what was not, and what was changed after it was signed.
 * @throws Error with the smallest delivery that is taken without a signature, or refused with one
 */
export async function fuzzWebhooks(
  world: World,
  platform: LocalPlatform,
  options: { count: number; seed: number },
): Promise<WebhookReport> {
  const wire = wireOf(world, platform);
  const { ids: genuine, bodies } = await catchGenuine(world, platform);
  const statuses: Record<string, number> = {};
  const signedPosts = new Set(genuine);
  let signed = 0;

  async function attempt({ body, signatures }: Delivery): Promise<string | null> {
    const good = wire.signatures(body);
    const [only = '', ...more] = signatures;
    // Blanks around a header's value are no part of it.
    const isSigned = more.length === 0 && good.includes(only.trim());
    const id = isSigned ? postIdIn(body, platform) : null;
    if (id !== null) signedPosts.add(id);
    const lines = [`POST ${wire.path} HTTP/1.1`, 'Host: gigclaim.test', `Content-Length: ${body.length}`];
    const head = [...lines, ...signatures.map((value) => `${wire.header}: ${value}`), 'Connection: close', '', ''];
    const bytes = Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body]);
    const { status } = await exchange(world.port, bytes, { method: 'POST', patienceMs: PATIENCE_MS });
    statuses[status] = (statuses[status] ?? 0) + 1;
    signed += isSigned ? 1 : 0;
    if (isSigned) return status === 200 || status === 400 ? null : `${status} for a signed delivery`;
    return status === 401 ? null : `${status} for a delivery that was not signed`;
  }

  const show = ({ body, signatures }: Delivery) =>
    `${JSON.stringify(signatures)} ${Buffer.from(body).toString('latin1')}`;
  const cases = hostileDeliveries({ bodies, sign: (body) => wire.signatures(body) });
  const deliveries = await tryCases<Delivery>(cases, { ...options, attempt, show });
  return { deliveries, signed, statuses, signedPosts, genuine };
}

/** Ids of the mentions of a network that came from neither a signed body nor a real post. */
export async function strayMentions(world: World, platform: LocalPlatform, report: WebhookReport): Promise<string[]> {
  const store = await openSqliteStore({ path: world.databasePath, migrationsFolder: MIGRATIONS });
  try {
    const mentions = await store.mentions({ limit: 1_000_000 });
    const real = new Set(world[platform].posts().map(({ id }) => id));
    const known = (id: string) => real.has(id) || report.signedPosts.has(id);
    return mentions
      .filter((mention) => mention.platform === platform)
      .map(({ postId }) => postId)
      .filter((id) => !known(id));
  } finally {
    await store.close();
  }
}

/** Challenges that X would send, and such as would have the service sign an event for whoever asks. */
const challenges: fc.Arbitrary<string> = fc.oneof(
  fc.base64String({ minLength: 16, maxLength: 128 }),
  fc.stringMatching(/^[A-Za-z0-9+/=_-]{1,200}$/),
  fc.json({ maxDepth: 2 }),
  fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.toWellFormed()),
  fc
    .stringMatching(/^[A-Za-z0-9]{20}$/)
    .map((text) => `{"data":{"event_type":"post.mention.create","payload":{"id":"${text}"}}}`),
  fc
    .stringMatching(/^[A-Za-z0-9]{20}$/)
    .chain((text) => fc.constantFrom(`${text}\n`, `\n${text}`, `${text}{`, ` ${text}`)),
);

/**
 * Challenges the service as X does, and delivers what it signed as if it were an event.
 * @returns how many challenges were tried and how many were answered
 * @throws Error with a token that was answered and could be an event
 */
export async function fuzzChallenges(world: World, options: { count: number; seed: number }) {
  const { signatures } = wireOf(world, 'twitter');
  let answered = 0;

  async function attempt(token: string): Promise<string | null> {
    const url = `${world.url}/webhooks/twitter?crc_token=${encodeURIComponent(token)}`;
    const answer = await fetch(url);
    const body = await answer.text();
    if (answer.status === 400) return body.includes('response_token') ? 'a refusal that signs' : null;
    if (answer.status !== 200) return `${answer.status} for a challenge`;
    answered += 1;
    const [signature = ''] = signatures(Buffer.from(token));
    if (body !== JSON.stringify({ response_token: signature })) return 'a wrong answer';
    if (/[^A-Za-z0-9+/=_-]/.test(token)) return 'an event could be signed';
    const headers = { 'x-twitter-webhooks-signature': signature };
    const forged = await fetch(`${world.url}/webhooks/twitter`, { method: 'POST', headers, body: token });
    // A token of digits is JSON, though no event.
    const expected = /^(?:0|-?[1-9][0-9]*)$/.test(token) ? 200 : 400;
    return forged.status === expected ? null : `${forged.status} for a challenge that was delivered`;
  }

  const tried = await tryCases(challenges, { ...options, attempt, show: (token) => JSON.stringify(token) });
  return { challenges: tried, answered };
}

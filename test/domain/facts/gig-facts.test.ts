import { expect, test } from 'vitest';
import { factFields } from '../../../src/cli/facts.ts';
import { factsJson } from '../../../src/domain/facts/fact.ts';
import { GIG_FACTS } from '../../../src/domain/facts/gig-facts.ts';
import { factMarkup } from '../../../src/http/admin/facts.ts';
import { renderFacts } from '../../../src/http/admin/list.ts';
import { funding, gig, NOW } from '../../bot/samples.ts';

const UNIT = 10n ** 18n;
const OWNERS = [
  { platform: 'farcaster', platformUserId: '1001', username: 'alice' },
  { platform: 'twitter', platformUserId: '1002', username: null },
] as const;

/** A gig that is not started, whose wallet has paid 40 of its 105 tokens before, as after an older backup. */
function shown() {
  const about = gig({ status: 'created', howToEarn: 'Say\nhello', client: 'shop' });
  const seen = funding({ token: about.token, expected: 105n * UNIT, actual: 105n * UNIT });
  const read = { ...seen, blockNumber: 9n, paidBefore: { amount: 40n * UNIT, since: 5n } };
  return { gig: about, owners: OWNERS, now: NOW, funding: read, frozen: null };
}

test('behavior: what the wallet of a created gig has paid before is named, and counts', () => {
  const funded = { required: '105', held: '65', exact: true, block_number: 9 };
  expect(factsJson(GIG_FACTS, shown())['funding']).toEqual(funded);
  expect(factFields(GIG_FACTS, shown())['in the wallet']).toBe(
    '65 DEGEN at block 9, after it paid 40 DEGEN: exactly what it needs to start',
  );
});

test('behavior: the command line and the pages tell the same facts in the same order, each in its own way', () => {
  const fields = factFields(GIG_FACTS, shown());
  const markup = factMarkup({ root: '/base' }, GIG_FACTS, shown());
  const told = Object.entries(markup).filter(([, value]) => value !== null);
  expect(told.map(([label]) => label.toLowerCase())).toEqual(Object.keys(fields));
  expect(fields).toMatchObject({
    owners: 'farcaster:1001 (@alice), twitter:1002',
    'how to earn': 'Say\nhello',
    client: 'shop',
  });
  expect(fields).not.toHaveProperty('post');
  const page = String(renderFacts(markup));
  expect(page).toContain('<dt>How to earn</dt><dd><p class="said"><bdi>Say\nhello</bdi></p></dd>');
  expect(page).toContain('<strong>@<bdi>alice</bdi></strong> <span class="muted">Farcaster 1001</span>, <span');
});

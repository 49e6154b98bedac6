import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { openGig } from '../../services/earning/gigs.ts';
import { press } from '../../support/sandbox.ts';
import { openSandboxPage } from '../../support/sandbox-page.ts';
import { seedGig } from '../../support/store.ts';

let page: Awaited<ReturnType<typeof openSandboxPage>>;
let gig: Gig;
let mentions: Gig;
let manual: Gig;
let castId: string;

beforeAll(async () => {
  page = await openSandboxPage({ service: 'http://127.0.0.1:1' });
  const cast = page.farcaster.post({ author: 'alice', text: 'Like this' });
  castId = cast.id;
  const target = { kind: 'post', postId: cast.id, authorId: '1001' } as const;
  gig = await openGig(page.store, { target, gigType: 'like' });
  mentions = await openGig(page.store, { target: { kind: 'keyword', keyword: '$degen' }, gigType: 'mention' });
  manual = await seedGig(page.store, { live: true });
});
afterAll(() => page.close());

const act = (who: string, verb: string, { id } = gig) => press(page.url, `/gigs/${id}/act`, { who, verb });

test('behavior: the page has a button for each act of each user on a watched gig, and none on a manual one', async () => {
  const shown = await (await fetch(page.url)).text();
  for (const verb of ['like', 'unlike', 'recast', 'unrecast', 'quote', 'reply', 'delete']) {
    expect(shown).toContain(`id="act-${gig.id}-mallory-${verb}"`);
  }
  expect(shown).toContain(`id="act-${mentions.id}-bob-mention"`);
  expect(shown).not.toContain(`id="act-${mentions.id}-bob-like"`);
  expect(shown).not.toContain(`action="/gigs/${manual.id}/act"`);
});

test('behavior: a button likes, takes it back, replies and deletes, and says what happened', async () => {
  expect(await act('bob', 'like')).toMatchObject({ ok: true, message: `bob liked the cast of gig ${gig.id}.` });
  expect(await act('bob', 'like')).toMatchObject({ ok: true, message: 'Nothing changed: bob likes the cast already.' });
  expect((await act('bob', 'unlike')).message).toBe(`bob took back the like of the cast of gig ${gig.id}.`);
  expect((await act('carol', 'reply')).message).toMatch(/does not count that: it counts like\.$/);
  expect(page.farcaster.posts().at(-1)).toMatchObject({ replyTo: castId, author: { username: 'carol' } });
  expect((await act('carol', 'delete')).ok).toBe(true);
  expect((await act('mallory', 'mention', mentions)).message).toMatch(/^mallory mentioned what is asked for by gig/);
  expect(page.farcaster.posts().at(-1)?.text).toContain('$degen');
  expect(await (await fetch(page.url)).text()).toContain(`bob liked the cast of gig ${gig.id}.`);
});

test('error: an unknown user, an act that is none or does not fit, and a gig that is not watched', async () => {
  expect(await act('zoe', 'like')).toMatchObject({ ok: false });
  for (const verb of ['dance', 'follow', '']) expect(await act('bob', verb)).toMatchObject({ ok: false });
  expect(await act('bob', 'like', manual)).toMatchObject({
    ok: false,
    message: expect.stringContaining(`Gig ${manual.id} has no rules`),
  });
});

test('behavior: a gig that is new can be funded at once, before anyone has opened the page', async () => {
  const created = await seedGig(page.store);
  const { message } = await press(page.url, `/gigs/${created.id}/fund`, { funding: 'exact' });
  expect(message).not.toContain('There is no gig');
});

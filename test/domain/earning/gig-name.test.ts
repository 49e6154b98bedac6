import { expect, test } from 'vitest';
import { gigName } from '../../../src/domain/earning/words/gig-name.ts';
import { TERMS } from '../../../src/domain/gigs/terms.ts';
import { gig } from '../../bot/samples.ts';

test('behavior: a gig is called by its title', () => {
  expect(gigName(gig({ title: 'Launch week', howToEarn: 'Post it.' }), null)).toBe('Launch week');
});

test('behavior: without one it is called by the first words of how it is earned, at most 60 characters', () => {
  expect(gigName(gig({ howToEarn: 'Post a picture.\nOf your desk.' }), null)).toBe('Post a picture. Of your desk');
  const long = gigName(gig({ howToEarn: 'word '.repeat(40) }), null);
  expect(long).toMatch(/^(word )+word…$/);
  expect(Array.from(long).length).toBeLessThanOrEqual(60);
  expect(gigName(gig({ howToEarn: 'x'.repeat(99) }), null)).toBe(`${'x'.repeat(59)}…`);
  // What its organizer knows alone is no name.
  expect(gigName(gig({ gigType: 'mention', howToEarn: null, externalUrl: null }), null)).toBe('Mention on Farcaster');
});

test('behavior: how one submits is no part of the name', () => {
  const target = { kind: 'keyword', keyword: 'logo' } as const;
  const bounty = gig({ gigType: 'custom_bounty', howToEarn: 'Design a logo' });
  expect([gigName(bounty, target), gigName(bounty, null)]).toEqual(['Design a logo', 'Design a logo']);
});

const read = (title: unknown) => TERMS.title.safeParse(title);

test('security: a title is cleaned like the name of a token', () => {
  expect(read(' Launch\u202e  week\u200b ').data).toBe('Launch week');
  expect(read('Win @alice at https://evil.example/x now').data).toBe('Win alice at now');
  expect(read('Open evil.com <b>').data).toBe('Open b');
  expect(read(undefined).data).toBeNull();
  expect(read(null).data).toBeNull();
});

test.each(['', ' ', 'evil.com', 'x'.repeat(61), 7])('error: %j is no title', (title) => {
  expect(read(title).error?.issues.map(({ message }) => message)).toEqual([
    'title must be 1 to 60 characters of text, without a URL, an @ or a domain',
  ]);
});

test('behavior: a title of 60 characters is taken', () => {
  expect(read('🎉'.repeat(60)).data).toBe('🎉'.repeat(60));
});

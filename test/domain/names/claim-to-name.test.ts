import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../../src/bot/commands/index.ts';

const BOT = { username: 'gigclaim' };
const say = (text: string) => parseCommand(text, BOT);
const named = (word: string, digits: string | null = null) => ({ name: 'claim_to_name', word, digits });

describe('a claim to a name', () => {
  test.each([
    ['@gigclaim claim my rewards alice.eth', named('alice.eth')],
    ['claim my rewards alice.eth @gigclaim', named('alice.eth')],
    ['@gigclaim  Claim\nMY  rewards\talice.base.eth ', named('alice.base.eth')],
    ['@gigclaim claim my rewards alice.eth 0x1234', named('alice.eth', '0x1234')],
    ['@gigclaim claim my rewards alice.eth 0XABCD', named('alice.eth', '0xabcd')],
    ['@gigclaim claim my rewards alice.eth 0x123456', named('alice.eth', '0x123456')],
    ['@gigclaim claim my rewards gig.eth', named('gig.eth')],
  ])('behavior: %j is one', (text, parsed) => expect(say(text)).toEqual(parsed));

  test.each([
    ['@gigclaim claim my rewards Alice.eth', 'Alice.eth'],
    ['@gigclaim claim my rewards аlice.eth', 'аlice.eth'],
    ['@gigclaim claim my rewards ａlice.eth', 'ａlice.eth'],
    ['@gigclaim claim my rewards al\u200bice.eth', 'al\u200bice.eth'],
    ['@gigclaim claim my rewards alice.eth\u200b', 'alice.eth\u200b'],
    ['@gigclaim claim my rewards ❤\ufe0f.eth', '❤\ufe0f.eth'],
    ['@gigclaim claim my rewards .eth', '.eth'],
  ])('security: the name is kept as it was typed: %j', (text, word) => expect(say(text)).toEqual(named(word)));

  test.each([
    ['@gigclaim сlaim my rewards alice.eth', 'look_alike'],
    ['@gigclaim ｃlaim my rеwards alice.eth', 'look_alike'],
    ['@gigclaim cl\u200baim my rewards alice.eth', 'invisible'],
  ])('security: odd characters in the command itself are refused: %j', (text, reason) =>
    expect(say(text)).toEqual({ name: 'refused', reason }),
  );

  test.each([
    '@gigclaim claim my rewards alice.eth please',
    '@gigclaim claim my rewards alice.eth.',
    '@gigclaim claim my rewards alice.eth bob.eth',
    '@gigclaim claim my rewards to alice.eth',
    '@gigclaim claim my rewards alice.eth 0x12',
    '@gigclaim claim my rewards alice.eth 1234',
    '@gigclaim claim my rewards alice.eth 0x1234 0x1234',
    '@gigclaim claim my rewards alice.eth 0xwxyz',
    '@gigclaim claim my rewards alice.com',
    '@gigclaim claim my rewards @alice.eth',
    '@gigclaim please claim my rewards alice.eth',
    `@gigclaim claim my rewards ${'a'.repeat(600)}.eth`,
  ])('error: %j is no command', (text) => expect(say(text)).toEqual({ name: 'unknown' }));

  test('behavior: claims without a name, and other commands with one, are read as before', () => {
    expect(say('@gigclaim claim my rewards')).toEqual({ name: 'claim', address: null });
    expect(say('@gigclaim claim my rewards 0x12')).toEqual({ name: 'claim', address: '0x12' });
    expect(say('@gigclaim link alice.eth')).toEqual({ name: 'unknown' });
    expect(say('@gigclaim alice.eth')).toEqual({ name: 'unknown' });
    expect(say('@gigclaim gig 42')).toEqual({ name: 'status', gigId: 42 });
    expect(say('@gigclaim submit 42 alice.eth')).toMatchObject({ name: 'submit', gigId: 42 });
  });
});

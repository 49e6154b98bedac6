import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../src/bot/commands/index.ts';

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const parse = (text: string) => parseCommand(text, { username: 'gigclaim' });
const claim = (address: string | null) => ({ name: 'claim', address });

describe('claim my rewards', () => {
  test.each(['@gigclaim claim my rewards', 'CLAIM my  Rewards @gigclaim', '@gigclaim\nclaim\tmy\u00a0rewards '])(
    'behavior: %j claims for the author’s own address',
    (text) => {
      expect(parse(text)).toEqual(claim(null));
    },
  );

  test('behavior: an address keeps its case, which carries its checksum', () => {
    expect(parse(`@gigclaim claim my rewards ${ADDRESS}`)).toEqual(claim(ADDRESS));
    expect(parse(`@gigclaim Claim My Rewards ${ADDRESS.toUpperCase()}`)).toEqual(claim(ADDRESS.toUpperCase()));
    expect(parse(`@gigclaim ｃｌａｉｍ my rewards ０ｘ12ab`)).toEqual(claim('0x12ab'));
  });

  test('behavior: what is no address, or too many, is for the claim to refuse', () => {
    expect(parse('@gigclaim claim my rewards 0x123')).toEqual(claim('0x123'));
    expect(parse('@gigclaim claim my rewards 0xzz')).toEqual(claim('0xzz'));
    expect(parse('@gigclaim claim my rewards 0x12 0x34')).toEqual(claim('0x12 0x34'));
  });

  test.each([
    ...['claim my reward', 'claim rewards', 'claim my rewards please', 'claim my rewards alice.com'],
    ...[`claim my rewards to ${ADDRESS}`, `claim my rewards${ADDRESS}`, `${ADDRESS} claim my rewards`],
    ...['do not claim my rewards', 'claim my rewards 0x…', 'claim my rewards!', `claim my rewards ${ADDRESS}.`],
    ...[`claim my rewards ${ADDRESS}?`, `claim my rewards ${ADDRESS}!!`, `"claim my rewards ${ADDRESS}"`],
    ...[`> claim my rewards ${ADDRESS}`, `never post claim my rewards ${ADDRESS}`],
    ...[`claim my rewards @alice ${ADDRESS}`, 'claim my rewards claim my rewards'],
  ])('error: %j is no command', (text) => {
    expect(parse(`@gigclaim ${text}`)).toEqual({ name: 'unknown' });
  });
});

describe('a claim in letters that deceive', () => {
  test.each([
    ...['cla\u200bim my rewards', 'claim my rewards\u2063', `claim my rewards 0x7099\u200b${ADDRESS.slice(6)}`],
    ...[`claim my rewards \u202e${ADDRESS}`, `claim\u00admy rewards`],
  ])('security: %j holds something invisible and is refused', (text) => {
    expect(parse(`@gigclaim ${text}`)).toEqual({ name: 'refused', reason: 'invisible' });
  });

  test.each([
    ...['\u0441laim my rewards', 'claim my rewar\u0501s', 'claim m\u0443 rewards', 'claim my re\u051dards'],
    ...['\u{1d41c}laim my rewards', 'claim my reward\u017f', `claim my rewards 0\u0445${ADDRESS.slice(2)}`],
    ...[`claim my rewards ${ADDRESS.replace('C5', '\u04215')}`, `claim my rewards ${ADDRESS.replace('79', '7\u0669')}`],
    'claim my rewards 0x\u{1d7d9}2',
  ])('security: %j only looks like a claim and is refused', (text) => {
    expect(parse(`@gigclaim ${text}`)).toEqual({ name: 'refused', reason: 'look_alike' });
  });
});

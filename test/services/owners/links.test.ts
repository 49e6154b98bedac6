import { describe, expect, test } from 'vitest';
import { linkedReply, notLinkedReply, unlinkedReply } from '../../../src/bot/commands/link.ts';
import type { AccountKey, Platform } from '../../../src/domain/account.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { type Owner, ownerClient, ownerText } from '../../../src/domain/owners/owner.ts';
import { parsePostReference } from '../../../src/domain/platforms/platforms.ts';
import { checkLinks, endLinks, endLinkToMe } from '../../../src/services/owners/links.ts';
import { perCase, reopen } from '../../support/per-case.ts';
import { runTwice } from '../../support/run-twice.ts';
import { seedAddress, seedToken } from '../../support/store.ts';
import { fault } from '../fakes.ts';
import { ask, createWorld } from '../world.ts';

const MINUTE = 60_000;
const WALLET = seedAddress(0xabc);
const OTHER = seedAddress(0xdef);
const AUTHORS = { farcaster: '1001', twitter: '22' } as const;
const NETWORKS = ['farcaster', 'twitter'] as const;

const SIGNED_IN = { session: 's', expiresAt: 0, newUntil: null, at: 0, formToken: 'f' };

const world = perCase(() => createWorld({ offered: ['wallet'] }));

type Network = (typeof NETWORKS)[number];

/** Says it, and the reply is sent. @returns what the bot says, without the mark that X needs */
async function say(text: string, platform: Network = 'farcaster', authorId: string = AUTHORS[platform]) {
  const said = await ask(world, { platform, authorId, authorUsername: null, text: `@gigclaim ${text}` });
  await world.sendAll(platform);
  return said?.replace(/ \[[0-9a-z]{1,6}\]$/, '') ?? null;
}

/** What the networks show of posts from now on: all but those that are gone, and each by this author. */
function show(authors: Readonly<Record<Platform, string>> = AUTHORS, gone: readonly string[] = []): string[] {
  const asked: string[] = [];
  for (const { network } of [world.farcaster, world.x]) {
    const { platform } = network;
    const lookUpPost: typeof network.lookUpPost = async (url) => {
      asked.push(url);
      const post = { platform, postId: parsePostReference(url)?.postId ?? '', authorId: authors[platform] ?? '' };
      return gone.includes(platform) ? null : { ...post, authorUsername: null, text: '', postedAt: 1 };
    };
    Object.assign(network, { lookUpPost });
  }
  return asked;
}

const check = () => checkLinks(world.sending);
async function checkLater(): Promise<void> {
  world.advance(10 * MINUTE);
  await check();
}
const linked = async (wallet = WALLET) =>
  (await world.store.accountsLinkedTo(wallet, world.clock())).map(({ platform }) => platform);
const trail = async () =>
  (await world.store.auditEvents({ limit: 20 })).map(({ action, actorName, detail }) => [
    action,
    actorName,
    JSON.parse(detail),
  ]);

describe.each(NETWORKS)('link on %s', (platform) => {
  const account = `${platform}:${AUTHORS[platform]}`;

  test('behavior: names the wallet, and counts ten minutes after its reply, as the audit trail says', async () => {
    const asked = show();
    expect(await say(`link ${WALLET}`, platform)).toBe(linkedReply(WALLET));
    world.advance(10 * MINUTE - 1);
    await check();
    expect([asked, await linked()]).toEqual([[], []]);
    world.advance(1);
    await check();
    await check();
    expect(asked).toHaveLength(1);
    expect(await linked()).toEqual([platform]);
    const post = (await world.store.linkOf({ platform, platformUserId: AUTHORS[platform] }))?.postId;
    expect(asked[0]?.endsWith(`/${post}`)).toBe(true);
    expect(await trail()).toEqual([
      ['account.link_valid', 'check links', { wallet: WALLET, post }],
      ['account.link', account, { wallet: WALLET, post }],
    ]);
  });

  test('security: a post that is gone by then, or is another account’s, links nothing', async () => {
    show(AUTHORS, [platform]);
    await say(`link ${WALLET}`, platform);
    await checkLater();
    show({ ...AUTHORS, [platform]: '666' });
    await say(`link ${OTHER}`, platform);
    await checkLater();
    show();
    await check();
    expect([await linked(), await linked(OTHER)]).toEqual([[], []]);
    expect((await trail())[0]).toMatchObject(['account.unlink', 'check links', { why: 'the post is gone' }]);
  });

  test('behavior: a new link ends the old one at once, and unlink ends every link at once', async () => {
    show();
    await say(`link ${WALLET}`, platform);
    await checkLater();
    await say(`link ${OTHER}`, platform);
    expect(await linked()).toEqual([]);
    // One that waits is ended as well as one that is valid.
    expect(await say('unlink', platform)).toBe(unlinkedReply());
    await checkLater();
    expect(await linked(OTHER)).toEqual([]);
    expect((await trail()).map(([action]) => action)).toEqual([
      'account.unlink',
      'account.link',
      'account.link_valid',
      'account.link',
    ]);
    expect((await trail())[1]?.[2]).toMatchObject({ wallet: OTHER, before: WALLET });
  });

  test.each([
    ['an address that is none', `link ${WALLET.slice(0, -1)}`, notLinkedReply('invalid_address')],
    ['a wrong checksum', 'link 0x4ED4E862860beD51a9570b96d89aF5E1B0Efefed', notLinkedReply('invalid_address')],
    ['the zero address', `link 0x${'0'.repeat(40)}`, notLinkedReply('invalid_address')],
    ['two addresses', `link ${WALLET} ${OTHER}`, notLinkedReply('several_addresses')],
    ['the same address twice', `link ${WALLET} ${WALLET}`, notLinkedReply('several_addresses')],
    ['no address', 'link', notLinkedReply('no_address')],
    ['look-alike letters', `lіnk ${WALLET}`, 'Your post contains characters that look like others'],
    [
      'a look-alike address',
      `link ${WALLET.replace('0x', '0х')}`,
      'Your post contains characters that look like others',
    ],
    ['invisible characters', `link\u200b ${WALLET}`, 'Your post contains invisible characters'],
    ['a quote', `"link ${WALLET}"`, 'Mention me with: '],
    ['a quote of a post', `> @gigclaim link ${WALLET}`, 'Mention me with: '],
    ['words beside it', `please link ${WALLET}`, 'Mention me with: '],
    ['an end mark', `link ${WALLET}.`, 'Mention me with: '],
    ['another handle before it', `@mallory link ${WALLET}`, 'Mention me with: '],
  ])('security: %s links nothing', async (_, text, reply) => {
    show();
    expect(await say(text, platform)).toMatch(new RegExp(`^${RegExp.escape(reply)}`));
    await checkLater();
    expect([await linked(), await linked(OTHER), await trail()]).toEqual([[], [], []]);
  });
});

describe('links', () => {
  test('security: where nobody signs in with a wallet, neither command is one', async () => {
    for (const offered of [[], ['farcaster']] as const) {
      await reopen(world, () => createWorld({ offered }));
      show();
      const help = await say(`link ${WALLET}`);
      expect(help).toMatch(/^Mention me with: /);
      expect(help).not.toContain('link');
      expect(await say('unlink', 'twitter')).toMatch(/^Mention me with: /);
      expect(await trail()).toEqual([]);
    }
  });

  test('security: an account that has opted out links nothing, and its link does nothing until it comes back', async () => {
    show();
    await say(`link ${WALLET}`);
    await checkLater();
    await say('stop');
    expect(await linked()).toEqual([]);
    expect(await say(`link ${OTHER}`)).toBeNull();
    expect((await world.store.linkOf({ platform: 'farcaster', platformUserId: '1001' }))?.wallet).toBe(WALLET);
    await say('unstop');
    expect(await linked()).toEqual(['farcaster']);
    // Who wants no replies can still end the link, without one.
    await say('stop');
    expect(await say('unlink')).toBeNull();
    await say('unstop');
    expect(await linked()).toEqual([]);
  });

  test('security: a token’s address is no wallet', async () => {
    const { address } = await seedToken(world.store, { address: OTHER });
    expect(await say(`link ${address}`)).toBe(notLinkedReply('invalid_address'));
  });

  test('security: a reply that was not sent begins no wait', async () => {
    const asked = show();
    await ask(world, { authorId: '1001', text: `@gigclaim link ${WALLET}` });
    world.advance(60 * MINUTE);
    await check();
    expect(asked).toEqual([]);
    await world.sendAll('farcaster');
    await checkLater();
    expect(await linked()).toEqual(['farcaster']);
  });

  test('error: a platform that does not tell keeps only its own links waiting, for two days', async () => {
    show();
    const { lookUpPost } = world.x.network;
    await say(`link ${WALLET}`, 'twitter');
    await say(`link ${WALLET}`, 'farcaster');
    world.advance(10 * MINUTE);
    Object.assign(world.x.network, { lookUpPost: () => Promise.reject(fault('server_error', 'safe')) });
    await check();
    expect(await linked()).toEqual(['farcaster']);
    expect(world.lines.filter(({ msg }) => msg === 'cannot see whether the post of a link is there')).toHaveLength(1);
    Object.assign(world.x.network, { lookUpPost });
    await check();
    expect((await linked()).toSorted()).toEqual(['farcaster', 'twitter']);
    await say(`link ${OTHER}`, 'twitter');
    world.advance(48 * 60 * MINUTE);
    await check();
    expect(await linked(OTHER)).toEqual([]);
  });

  test('behavior: the operator ends the links of an account or of a wallet', async () => {
    show();
    for (const platform of NETWORKS) await say(`link ${WALLET}`, platform);
    await say(`link ${OTHER}`, 'farcaster', '1002');
    const end = (owner: Parameters<typeof endLinks>[1]['owner']) => endLinks(world, { owner, actor: COMMAND_LINE });
    const bob = { kind: 'account', platform: 'farcaster', platformUserId: '1002' } as const;
    expect(await end(bob)).toBe(1);
    await expect(end(bob)).rejects.toThrow('farcaster:1002 has no link.');
    await expect(end({ kind: 'wallet', address: WALLET, chainId: 8453 })).rejects.toThrow(' has no link.');
    expect(await end({ kind: 'wallet', address: WALLET, chainId: null })).toBe(2);
    await checkLater();
    expect([await linked(), await linked(OTHER)]).toEqual([[], []]);
    const ended = (await world.store.auditEvents({ limit: 9 })).filter(({ action }) => action === 'account.unlink');
    expect(
      ended.map(({ actor, subjectId, detail }) => [actor, subjectId, JSON.parse(detail).wallet]).toSorted(),
    ).toEqual([
      ['operator', 'farcaster:1001', WALLET],
      ['operator', 'farcaster:1002', OTHER],
      ['operator', 'twitter:22', WALLET],
    ]);
  });
});

test('security: a wallet that signed in ends a link to it, and no other', async () => {
  show();
  await say(`link ${WALLET}`);
  const account = { platform: 'farcaster', platformUserId: AUTHORS.farcaster };
  const end = (owner: Owner, of: AccountKey = account) => {
    const signedIn = { ...SIGNED_IN, owner, name: ownerText(owner), client: ownerClient(ownerText(owner)) };
    return endLinkToMe(world, { signedIn, account: of, requestId: 'r1' });
  };
  const me = { kind: 'wallet', address: WALLET, chainId: null } as const;
  expect(await end({ kind: 'account', ...account })).toBe(false);
  expect(await end({ ...me, chainId: 8453 })).toBe(false);
  expect(await end({ ...me, address: OTHER })).toBe(false);
  expect(await end(me, { ...account, platformUserId: '1002' })).toBe(false);
  expect((await world.store.linkOf(account))?.wallet).toBe(WALLET);
  expect(await end(me)).toBe(true);
  expect(await world.store.linkOf(account)).toBeNull();
  expect(await end(me)).toBe(false);
  const [ended, ...before] = await world.store.auditEvents({ limit: 9 });
  const about = { subject: 'account', subjectId: 'farcaster:1001', gigId: null };
  expect(ended).toMatchObject({ ...about, action: 'account.unlink', actorName: `wallet:${WALLET}`, requestId: 'r1' });
  expect(before).toMatchObject([{ ...about, action: 'account.link' }]);
});

test('behavior: a link whose every transaction runs twice is one link', async () => {
  await reopen(world, () => createWorld({ offered: ['wallet'], wrap: runTwice }));
  show();
  await say(`link ${WALLET}`);
  await checkLater();
  expect(await linked()).toEqual(['farcaster']);
  await say('unlink');
  expect((await trail()).map(([action]) => action)).toEqual(['account.unlink', 'account.link_valid', 'account.link']);
});

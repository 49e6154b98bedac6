import { beforeEach, describe, expect, inject, test } from 'vitest';
import { checksummed, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import type { EnsName } from '../../../src/domain/names/ens-name.ts';
import { createNameBook } from '../../services/name-book.ts';
import { deployToken, freshAddress, type TestToken } from '../../support/anvil.ts';
import { NOW } from '../service.ts';
import { till, useTill } from '../till.ts';
import { type Answered, browserOf, hidden, walletOn } from './browser.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const BOB = { platform: 'farcaster', platformUserId: '1002' } as const;
const PATH = '/my/rewards/farcaster/1001';
const NEW = '/my/gigs/new';

let token: TestToken;
let book: ReturnType<typeof createNameBook>;
useTill(() => {
  book = createNameBook();
  return { signIn: walletOn(inject('anvilUrl')), names: book.names, config: { ownerCreate: 'anybody' } };
});
beforeEach(async () => {
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
});

const alices = () => browserOf(till.service, 'farcaster:1001');
const claims = () => till.service.store.claims({ limit: 9 });

function formOf(page: Answered) {
  return { token: hidden(page, 'token'), key: hidden(page, 'key') };
}

/** Has an account be told where a name leads, and confirm it. */
async function remember(name: EnsName, account: typeof ALICE | typeof BOB = ALICE, isConfirmed = true) {
  const address = freshAddress();
  book.lead(name, address);
  await till.service.store.transaction(async (tx) => {
    await tx.askName(account, { name, address }, NOW);
    if (isConfirmed) await tx.confirmName(account, { name, address }, NOW);
  });
  return address;
}

describe('my rewards', () => {
  test('behavior: a name that the account has confirmed is offered with its address, and paid there', async () => {
    const home = await remember('alice.eth');
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    const browser = await alices();
    const page = await browser.get(PATH);
    expect(page.text).toContain(`<option value="alice.eth">alice.eth: ${checksummed(home)}</option>`);
    expect(book.looked).toEqual([]);
    expect((await browser.post(PATH, { ...formOf(page), recipient: 'alice.eth' })).status).toBe(303);
    expect(await claims()).toMatchObject([{ recipient: home, source: 'page' }]);
    expect(await till.service.store.payments({ limit: 9, kind: 'payout' })).toMatchObject([{ recipient: home }]);
    expect((await browser.post(PATH, { ...formOf(page), recipient: 'alice.eth' })).status).toBe(303);
    expect(await claims()).toHaveLength(1);
  });

  test('security: a name that leads elsewhere by now is not paid, and the answer says where it leads', async () => {
    await remember('alice.eth');
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    const browser = await alices();
    const page = await browser.get(PATH);
    const moved = freshAddress();
    book.lead('alice.eth', moved);
    const refused = await browser.post(PATH, { ...formOf(page), recipient: 'alice.eth' });
    expect([refused.status, refused.text.includes(`alice.eth leads to ${checksummed(moved)} now`)]).toEqual([
      409,
      true,
    ]);
    expect(await claims()).toEqual([]);
  });

  test('security: nobody types a name there: one that is not confirmed, or another account’s, is not paid', async () => {
    await remember('told.eth', ALICE, false);
    await remember('bob.eth', BOB);
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    const browser = await alices();
    const page = await browser.get(PATH);
    for (const recipient of ['told.eth', 'bob.eth', 'thief.eth', '.eth']) {
      expect(page.text).not.toContain(`value="${recipient}"`);
      const refused = await browser.post(PATH, { ...formOf(page), recipient });
      expect([refused.status, refused.text.includes('recipient must be an address of the list')]).toEqual([409, true]);
    }
    expect([await claims(), book.looked]).toEqual([[], []]);
  });

  test('error: while the chain of names does not answer, nothing is claimed', async () => {
    await remember('alice.eth');
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    const browser = await alices();
    const page = await browser.get(PATH);
    book.away(true);
    const answer = await browser.post(PATH, { ...formOf(page), recipient: 'alice.eth' });
    expect(answer.text).toContain('The name cannot be looked up right now, so nothing was changed.');
    expect([answer.status, await claims()]).toEqual([409, []]);
  });
});

describe('the form of a gig', () => {
  async function submit(refund_address: string) {
    const browser = await alices();
    const key = hidden(await browser.get(NEW), 'key');
    const like = {
      gig_type: 'like',
      platform: 'farcaster',
      url: 'https://farcaster.xyz/alice/0x1234abcd',
      keyword: '',
    };
    const money = { rule: 'manual', asset: `anvil ${NATIVE_TOKEN_ADDRESS}`, amount: '0.5', refund_address };
    const time = { start: 'now', start_time: '', duration: '1week', how_to_earn: '' };
    return { browser, answer: await browser.submit('/my', NEW, { ...like, ...money, ...time, key }) };
  }

  test('behavior: takes a name as the refund address, and the page of the gig shows both', async () => {
    const home = freshAddress();
    book.lead('alice.eth', home);
    const { browser, answer } = await submit('alice.eth');
    expect(answer.status).toBe(303);
    const [gig] = await till.service.store.gigs({ phase: 'all', now: NOW, limit: 9 });
    expect(gig).toMatchObject({ refundAddress: home, refundName: 'alice.eth' });
    const page = await browser.get(`/gigs/${gig?.id}`);
    expect(page.text).toContain('given as');
    expect(page.text).toContain('alice.eth');
    const edit = await browser.get(`/my/gigs/${gig?.id}/edit`);
    expect(edit.text).toContain(`name="refund_address" value="${checksummed(home)}"`);
  });

  test.each([
    ['Alice.eth', 'Refund address must be written as ENS writes it: alice.eth.'],
    ['nobody.eth', 'Refund address must be an address: nobody.eth leads to none.'],
  ])('error: %s is refused beside its field', async (name, problem) => {
    const { answer } = await submit(name);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(problem);
  });
});

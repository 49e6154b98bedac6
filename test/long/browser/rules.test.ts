import type { Page } from 'playwright-core';
import { parseEther } from 'viem';
import { expect, inject, test } from 'vitest';
import { RULE_TYPES, type RuleType } from '../../../src/domain/earning/rules/index.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { walletOn } from '../../http/my/browser.ts';
import { openWatchedService } from '../../http/watched.ts';
import { anvilClients, deployToken } from '../../support/anvil.ts';
import { findFaults, LARGE_PHONE } from '../../support/browser.ts';
import { seedToken } from '../../support/store.ts';
import { useServed } from './served.ts';
import { AT_ONCE, connect, createWallet, sends } from './wallet.ts';

const served = useServed(async () => {
  const watched = await openWatchedService({
    signIn: walletOn(inject('anvilUrl')),
    config: { ownerCreate: 'anybody' },
  });
  post = watched.farcaster.post({ author: 'alice', text: 'Look at this bird' }).url;
  heldToken = (await deployToken({ decimals: 18 })).address;
  // A preview knows the tokens of gigs alone.
  await seedToken(watched.service.store, { chainId: 31337, address: heldToken, symbol: 'TEST', decimals: 18 });
  return watched;
});
let post: string;
/** A token to hold. */
let heldToken: Address;

async function type(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).filter({ visible: true }).fill(value);
}

/** For each rule, how it is chosen, and the fields that stand below it then. */
const FORMS: Readonly<Record<RuleType, { what?: string; rule: string; fields?: Readonly<Record<string, string>> }>> = {
  fixed: { rule: 'The same for each account, first come', fields: { 'Amount for each account': '0.01' } },
  split: { rule: 'Equal shares of each round', fields: { 'Round length, in hours': '12' } },
  weighted: { rule: 'Shares of each round by score' },
  raffle: { rule: 'A raffle', fields: { Winners: '3' } },
  verifier: { what: 'Bounty', rule: 'I choose: I decide on each submission' },
  hold: {
    what: 'Hold a token',
    rule: 'For holding a token',
    fields: { 'Minimum to hold': '5', 'Hours to keep the token': '1', 'Amount for each account': '0.01' },
  },
  manual: { what: 'Something else, by hand', rule: 'I award from a list' },
};

test.each(RULE_TYPES)(
  'behavior: a gig that pays by “%s” is made in the form on a phone, and paid once',
  async (rule) => {
    const { page, problems, close } = await served.browser.tab({ viewport: LARGE_PHONE, reducedMotion: 'reduce' });
    const wallet = await createWallet();
    await connect(page.context(), wallet);
    await page.addInitScript(AT_ONCE);
    const owner = `wallet:${wallet.account.address.toLowerCase()}`;
    await served.enter(page, owner);
    const { what = 'Like', rule: choice, fields = {} } = FORMS[rule];

    await page.goto(`${served.url}/my/gigs/new`);
    await page.getByLabel(what, { exact: true }).check();
    await type(page, what === 'Like' ? { 'Post or profile': post } : { 'What to do': 'Draw a bird.' });
    if (rule === 'hold') expect(await page.locator('input[name=rule]:visible').count()).toBe(1);
    await page.getByLabel(choice).check();
    if (rule === 'hold') {
      await type(page, { 'Token to hold': heldToken });
      await page.getByLabel('How it is paid').filter({ visible: true }).selectOption('fixed');
    }
    await type(page, { ...fields, Reward: '0.1' });
    const preview = page.locator('#preview');
    await preview.getByText(/^You pay/).waitFor();
    if (what === 'Like') await preview.getByText('Look at this bird').waitFor();
    const sentence = (await preview.locator('#criteria').innerText()).trim();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create the gig' }).click();

    await page.getByRole('button', { name: 'Pay with' }).click();
    await page.getByText('The wallet holds exactly what the gig needs').waitFor();
    const { pathname } = new URL(page.url());
    const gig = await served.service.store.gig(Number(pathname.split('/').at(-1)));
    const paid = await anvilClients().public.getBalance({ address: gig?.walletAddress ?? '0x' });
    expect([sends(wallet), paid]).toEqual([1, parseEther('0.105')]);
    expect(await findFaults(page)).toEqual([]);
    await page.goto(served.url + pathname.replace('/my', ''));
    expect(await page.locator('main').innerText()).toContain(sentence);
    expect([await findFaults(page), problems]).toEqual([[], []]);
    await close();
  },
);

import { afterEach, beforeEach, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { freezeByHand, unfreezeByHand } from '../../../src/services/gigs/freezes.ts';
import { freshAddress, fundNative, fundToken, type TestToken } from '../../support/anvil.ts';
import { type Audits, openAudits } from '../audits/auditing.ts';
import { ALICE, type Cashier, openCashier } from '../cashier.ts';

let cashier: Cashier;
let audits: Audits;
let token: TestToken;
beforeEach(async () => {
  ({ cashier, audits, token } = await openAudits());
});
afterEach(() => cashier.close());

const SAID = 'the operator froze it: a leak';
const freeze = (gigId: number) => freezeByHand(cashier, { gigId, reason: ' a leak ', actor: COMMAND_LINE });
const unfreeze = (gigId: number) => unfreezeByHand(cashier, { gigId, actor: COMMAND_LINE });
const actions = async (gigId: number) =>
  (await cashier.store.auditEvents({ limit: 50, gigId })).map(({ action }) => action);

test('security: a gig that the operator froze pays nothing and no audit releases it, until the operator does', async () => {
  const gig = await audits.gig({ asset: token, tips: [{ account: ALICE, amount: 250_000n }] });
  await freeze(gig.id);
  await cashier.claim(cashier.post(ALICE, `claim my rewards ${freshAddress()}`));
  await cashier.look();
  expect(await cashier.payments('payout')).toMatchObject([{ state: 'planned' }]);
  expect(await audits.only()).toMatchObject({ audit: { problems: [] }, frozen: SAID, change: null });
  expect(await cashier.store.gigFreeze(gig.id)).toBe(SAID);
  expect(await unfreeze(gig.id)).toBeNull();
  cashier.advance(10_000);
  await cashier.settle();
  expect(await cashier.payments('payout')).toMatchObject([{ state: 'confirmed' }]);
  expect(await actions(gig.id)).toEqual(['gig.unfreeze', 'gig.freeze']);
});

test('security: what an audit finds of a frozen gig outlasts the operator’s word, and the other way round', async () => {
  const gig = await audits.gig({ asset: token, tips: [] });
  await fundNative(gig.walletAddress, 10n ** 17n);
  await audits.steal(gig, token, 400_000n);
  await freeze(gig.id);
  const found = await audits.only();
  expect(found.frozen).toMatch(/^it does not add up: /);
  expect(await unfreeze(gig.id)).toBe(found.frozen);
  await freeze(gig.id);
  await fundToken(token, gig.walletAddress, 400_000n);
  expect(await audits.only()).toMatchObject({ frozen: SAID, change: null });
  expect(await unfreeze(gig.id)).toBeNull();
  expect(await actions(gig.id)).toEqual([
    'gig.unfreeze',
    // What was found is released, and the operator's word is left.
    'gig.unfreeze',
    'gig.freeze',
    'gig.unfreeze',
    'gig.freeze',
    'gig.freeze',
  ]);
});

test('security: a gig that is frozen while its payment is being prepared signs nothing', async () => {
  await cashier.close();
  let freezing: (() => Promise<void>) | null = null;
  cashier = await openCashier({
    wrap: (writer) => ({
      ...writer,
      fees: async () => {
        await freezing?.();
        return await writer.fees();
      },
    }),
  });
  await cashier.fundTank(10n ** 18n);
  const gig = await cashier.gig({ asset: token, tips: [{ account: ALICE, amount: 10n }] });
  await fundNative(gig.walletAddress, 10n ** 17n);
  const recipient = freshAddress();
  await cashier.claim(cashier.post(ALICE, `claim my rewards ${recipient}`));
  freezing = async () => {
    freezing = null;
    await freeze(gig.id);
  };
  await cashier.look();
  expect(freezing).toBeNull();
  await cashier.look();
  expect(await cashier.payments('payout')).toMatchObject([{ state: 'planned', reason: `the gig is frozen: ${SAID}` }]);
  expect(await cashier.held(token, recipient)).toBe(0n);
});

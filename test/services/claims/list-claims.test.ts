import { beforeEach, expect, test } from 'vitest';
import { ALL_IDS, type IdSpan } from '../../../src/domain/id-span.ts';
import { listClaims } from '../../../src/services/claims/list-claims.ts';
import { storePerCase } from '../../support/per-case.ts';
import { SEEDED_AT, sampleClaim } from '../../support/store.ts';
import { ALICE } from '../cashier.ts';

/** More claims than are looked at for one page of a rare standing. */
const CLAIMS = 502;

const { store } = storePerCase();
beforeEach(async () => {
  await store.transaction(async (tx) => {
    for (let n = 1; n <= CLAIMS; n += 1) await tx.insertClaim(sampleClaim(ALICE, `0x${n}`));
  });
});

test.each([
  ['goes on below its last claim', { limit: 2 }, [502, 501], 501],
  ['goes on from there', { limit: 2, before: 501 }, [500, 499], 499],
  ['is the last one when no claim is left', { limit: 2, before: 3 }, [2, 1], null],
  ['of one standing goes on below its last claim as well', { limit: 2, standing: 'empty' }, [502, 501], 501],
  ['of a rare standing looks at five hundred claims', { limit: 2, standing: 'paid' }, [], 3],
  ['of a rare standing ends with the claims', { limit: 2, standing: 'paid', before: 501 }, [], null],
] as const)('behavior: a page of claims %s', async (_what, query, ids, next) => {
  const page = await listClaims({ store }, query);
  expect([page.claims.map(({ claim }) => claim.id), page.next]).toEqual([ids, next]);
});

test('behavior: a claim is listed with its handle, if one is known, and ids that may not be listed are left out', async () => {
  const list = async (span: IdSpan = ALL_IDS) =>
    (await listClaims({ store }, { limit: 2, span })).claims.map(({ claim, username, payments }) => {
      return { id: claim.id, username, payments };
    });
  const claim = (id: number, username: string | null) => ({ id, username, payments: [] });
  expect(await list()).toEqual([claim(502, null), claim(501, null)]);
  await store.transaction((tx) => tx.setUsername({ ...ALICE, username: 'alice' }, SEEDED_AT));
  expect(await list({ from: 0, below: 502 })).toEqual([claim(501, 'alice'), claim(500, 'alice')]);
});

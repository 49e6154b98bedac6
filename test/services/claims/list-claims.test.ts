import { beforeEach, expect, test } from 'vitest';
import { listClaims } from '../../../src/services/claims/list-claims.ts';
import { storePerCase } from '../../support/per-case.ts';
import { sampleClaim } from '../../support/store.ts';
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

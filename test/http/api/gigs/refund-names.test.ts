import { describe, expect, test } from 'vitest';
import { checksummed } from '../../../../src/domain/gigs/token.ts';
import { createNameBook } from '../../../services/name-book.ts';
import { deployToken, freshAddress, fundToken } from '../../../support/anvil.ts';
import { forThisTest, openService, type ServiceOptions } from '../../service.ts';
import { knowDegen, TERMS } from '../../terms.ts';

const UNFIT = 'refund_address must be an address, or a name as ENS writes it, such as alice.eth, without mixed scripts';

/** A part of what is told of a new gig. */
interface Told {
  readonly gig_id: number;
  readonly gig_wallet_address: `0x${string}`;
}

async function open(options: ServiceOptions = {}) {
  const service = await forThisTest(openService(options));
  await knowDegen(service);
  const call = async (method: 'POST' | 'PATCH', path: string, sent: object) => {
    const answer = await service.send(method, path, sent);
    const body: Told = JSON.parse(await answer.text());
    return { status: answer.status, body };
  };
  return {
    service,
    create: (refund_address: unknown) => call('POST', '/api/gigs/create', { ...TERMS, refund_address }),
    change: (id: number, body: object) => call('PATCH', `/api/gigs/${id}`, body),
    async show(id: number): Promise<object> {
      const { data }: { data: object } = JSON.parse(await (await service.app.request(`/api/gigs/${id}`)).text());
      return data;
    },
  };
}

describe('a refund address that is given by its name', () => {
  test('behavior: is resolved once: the gig keeps the address, and tells both', async () => {
    const [home, elsewhere] = [freshAddress(), freshAddress()];
    const book = createNameBook({ 'alice.eth': { address: home } });
    const { create, change, show } = await open({ names: book.names });
    const { status, body } = await create('alice.eth');
    const told = { refund_address: checksummed(home), refund_name: 'alice.eth' };
    expect([status, body]).toMatchObject([201, told]);
    expect(await show(body.gig_id)).toMatchObject(told);
    book.lead('alice.eth', elsewhere);
    expect(await change(body.gig_id, { amount: '11' })).toMatchObject({ status: 200 });
    expect(await show(body.gig_id)).toMatchObject(told);
    expect(book.looked).toEqual(['alice.eth']);
    expect(await change(body.gig_id, { refund_address: 'alice.eth' })).toMatchObject({ status: 200 });
    expect(await show(body.gig_id)).toMatchObject({ ...told, refund_address: checksummed(elsewhere) });
    await change(body.gig_id, { refund_address: home });
    const plain = await show(body.gig_id);
    expect(plain).toMatchObject({ refund_address: checksummed(home) });
    expect(plain).not.toHaveProperty('refund_name');
  });

  test('security: a creation that is sent again, also at once, makes one gig with one address, wherever its name leads by then', async () => {
    const home = freshAddress();
    const book = createNameBook({ 'alice.eth': { address: home } });
    const { service, show } = await open({ names: book.names });
    const create = async (): Promise<Told> => {
      const terms = { ...TERMS, refund_address: 'alice.eth' };
      const answer = await service.send('POST', '/api/gigs/create', terms, { 'idempotency-key': 'named' });
      return JSON.parse(await answer.text());
    };
    const made = await Promise.all([create(), create(), create()]);
    book.lead('alice.eth', freshAddress());
    made.push(await create());
    expect(new Set(made.map(({ gig_id }) => gig_id)).size).toBe(1);
    expect(await show(made[0]?.gig_id ?? 0)).toMatchObject({ refund_address: checksummed(home) });
    expect(book.looked).toEqual(['alice.eth']);
  });

  test('behavior: answers about a gig whose address was given as one are as before', async () => {
    const { create, show } = await open(createNameBook());
    const { body } = await create(freshAddress());
    expect(Object.keys(body)).not.toContain('refund_address');
    expect(Object.keys(await show(body.gig_id))).not.toContain('refund_name');
    expect(Object.keys((await create(null)).body)).not.toContain('refund_name');
  });

  test.each([
    ['Alice.eth', 'refund_address must be written as ENS writes it: alice.eth'],
    ['аlice.eth', UNFIT],
    ['你好alice.eth', UNFIT],
    [`${'a'.repeat(97)}.eth`, UNFIT],
    ['alice..eth', UNFIT],
    ['nobody.eth', 'refund_address must be an address: nobody.eth leads to none'],
    ['silent.eth', 'refund_address must be an address: the server that keeps silent.eth does not answer'],
    [
      'zero.eth',
      'refund_address must be the address of a wallet that you control, not the zero address, a token or a wallet of this service',
    ],
    [
      'alice.com',
      'refund_address must be an address: 0x and 40 hex digits in lower case, or in mixed case with a valid checksum',
    ],
    [7, UNFIT],
  ])('error: %j is refused', async (name, problem) => {
    const zero = { address: `0x${'0'.repeat(40)}` } as const;
    const { create, service } = await open(createNameBook({ 'silent.eth': 'unanswered', 'zero.eth': zero }));
    expect(await create(name)).toMatchObject({ status: 400, body: { error: 'Validation failed', details: [problem] } });
    expect(await service.store.gigs({ phase: 'all', now: 0, limit: 9 })).toEqual([]);
  });

  test('behavior: where names are off, the refusal says what to send instead', async () => {
    const { create } = await open();
    const problem = 'refund_address must be an address, 0x and 40 hex digits: names are off here';
    expect(await create('alice.eth')).toMatchObject({ status: 400, body: { details: [problem] } });
  });

  test('error: while the chain of names does not answer, nothing is created', async () => {
    const book = createNameBook();
    book.away(true);
    const { create, service } = await open({ names: book.names });
    expect(await create('alice.eth')).toMatchObject({ status: 503, body: { code: 'chain_unreachable' } });
    expect(await service.store.gigs({ phase: 'all', now: 0, limit: 9 })).toEqual([]);
  });

  test('security: a name that leads elsewhere changes nothing once the wallet of the gig holds something', async () => {
    const book = createNameBook({ 'alice.eth': { address: freshAddress() } });
    const { service, change, show } = await open({ names: book.names });
    const token = await deployToken({ decimals: 18, symbol: 'PAY' });
    const terms = { ...TERMS, token_address: token.address, refund_address: 'alice.eth' };
    const answer = await service.send('POST', '/api/gigs/create', terms);
    const created: Told = JSON.parse(await answer.text());
    await fundToken(token, created.gig_wallet_address, 1n);
    const before = await show(created.gig_id);
    book.lead('alice.eth', freshAddress());
    expect(await change(created.gig_id, { refund_address: 'alice.eth' })).toMatchObject({
      status: 400,
      body: {
        details: ['refund_address cannot be changed: the wallet of this gig holds 0.000000000000000001 PAY already'],
      },
    });
    expect(await show(created.gig_id)).toEqual(before);
  });
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { checksummed } from '../../../../src/domain/gigs/token.ts';
import { deployToken, freshAddress } from '../../../support/anvil.ts';
import { published } from '../../terms.ts';
import { openTill, type Till } from '../../till.ts';

const BOB_ON_X = '1700000000000001002';
const MESSAGE = 'Message must contain "claim my rewards" with an optional Ethereum address';
const SCAM = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

let till: Till;
beforeEach(async () => {
  till = await openTill();
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  await till.gig(token, [
    { fid: '1001', amount: 5n },
    { xUserId: BOB_ON_X, amount: 7n },
  ]);
});
afterEach(() => till.close());

async function told(url: string): Promise<[status: number, body: unknown]> {
  const response = await till.claim(url);
  return [response.status, published(response, await response.json())];
}

const payoutsTo = (address: string) => [
  200,
  expect.objectContaining({ summary: expect.objectContaining({ recipient: address }) }),
];

const TALK = [
  `never post "claim my rewards ${SCAM}", it is a scam!`,
  `> claim my rewards ${SCAM}`,
  `lol a bot told me to claim my rewards ${SCAM}`,
  `\`\`\`\nclaim my rewards ${SCAM}\n\`\`\``,
  `@mallory says claim my rewards ${SCAM}`,
  `claim my rewards @mallory ${SCAM}`,
  `.@gigclaim claim my rewards ${SCAM}`,
  `claim my rewards ${SCAM} \u{1f602}`,
  `claim my rewards \u200b${SCAM}`,
  `claim my rewards \u202e${SCAM}`,
  `\u0441laim my rewards ${SCAM}`,
  `claim my rewards ${SCAM} https://t.co/abc`,
  `claim my rewards ${SCAM}?`,
];

test('security: a post that talks about a claim pays nobody, whoever sends its URL', async () => {
  const answered = [];
  for (const text of TALK) {
    answered.push([text, 'X', ...(await told(till.x.post({ author: 'bob', text }).url))]);
    answered.push([text, 'Farcaster', ...(await told(till.farcaster.post({ author: 'alice', text }).url))]);
  }
  expect(answered).toEqual(
    TALK.flatMap((text) => ['X', 'Farcaster'].map((network) => [text, network, 400, { error: MESSAGE }])),
  );
  expect(await till.service.store.payments({ limit: 1 })).toEqual([]);
});

test('behavior: what published clients have people post is paid', async () => {
  const [first, second] = [checksummed(freshAddress()), checksummed(freshAddress())];
  const cast = till.farcaster.post({ author: 'alice', text: `@gigbot claim my rewards ${first}` });
  expect(await told(cast.url)).toEqual(payoutsTo(first));
  const post = till.x.post({ author: 'bob', text: `claim my rewards ${second} @gigbot` });
  expect(await told(post.url)).toEqual(payoutsTo(second));
});

test('behavior: handles that X puts before a reply are not its author’s words', async () => {
  const address = checksummed(freshAddress());
  const asked = till.x.post({ author: 'carol', text: 'claim under this post, @mallory!' });
  const reply = till.x.post({ author: 'bob', text: `claim my rewards ${address}.`, replyTo: asked.id });
  expect(await told(reply.url)).toEqual(payoutsTo(address));
});

test('behavior: without an address a cast pays the address that its author has verified, and a post on X none', async () => {
  const text = 'gm! they say "claim my rewards" \u{1f680}';
  expect(await told(till.x.post({ author: 'bob', text }).url)).toEqual([400, { error: 'No verified address found' }]);
  expect(await told(till.farcaster.post({ author: 'alice', text }).url)).toEqual(
    payoutsTo('0x70997970C51812dc3A010C7d01b50e0d17dc79C8'),
  );
});

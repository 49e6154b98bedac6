import { beforeEach, expect, test } from 'vitest';
import { checksummed } from '../../../../src/domain/gigs/token.ts';
import { deployToken, freshAddress } from '../../../support/anvil.ts';
import { refusal, told } from '../../terms.ts';
import { till, useTill } from '../../till.ts';

const BOB_ON_X = '1700000000000001002';
const MESSAGE = 'Message must contain "claim my rewards" with an optional Ethereum address';
const SCAM = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

useTill();
beforeEach(async () => {
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  await till.gig(token, [
    { fid: '1001', amount: 5n },
    { xUserId: BOB_ON_X, amount: 7n },
  ]);
});

const claim = (url: string) => told(till.claim(url));

const payoutsTo = (recipient: string) => ({ status: 200, body: { summary: { recipient } } });

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
  for (const text of TALK) {
    for (const { url } of [till.x.post({ author: 'bob', text }), till.farcaster.post({ author: 'alice', text })]) {
      expect([text, url, await claim(url)]).toEqual([text, url, refusal(400, MESSAGE)]);
    }
  }
  expect(await till.service.store.payments({ limit: 1 })).toEqual([]);
});

test('behavior: what published clients have people post is paid', async () => {
  const [first, second] = [checksummed(freshAddress()), checksummed(freshAddress())];
  const cast = till.farcaster.post({ author: 'alice', text: `@gigbot claim my rewards ${first}` });
  expect(await claim(cast.url)).toMatchObject(payoutsTo(first));
  const post = till.x.post({ author: 'bob', text: `claim my rewards ${second} @gigbot` });
  expect(await claim(post.url)).toMatchObject(payoutsTo(second));
});

test('behavior: handles that X puts before a reply are not its author’s words', async () => {
  const address = checksummed(freshAddress());
  const asked = till.x.post({ author: 'carol', text: 'claim under this post, @mallory!' });
  const reply = till.x.post({ author: 'bob', text: `claim my rewards ${address}.`, replyTo: asked.id });
  expect(await claim(reply.url)).toMatchObject(payoutsTo(address));
});

test('behavior: without an address a cast pays the address that its author has verified, and a post on X none', async () => {
  const text = 'gm! they say "claim my rewards" \u{1f680}';
  expect(await claim(till.x.post({ author: 'bob', text }).url)).toEqual(refusal(400, 'No verified address found'));
  expect(await claim(till.farcaster.post({ author: 'alice', text }).url)).toMatchObject(
    payoutsTo('0x70997970C51812dc3A010C7d01b50e0d17dc79C8'),
  );
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { transferData } from '../../../sandbox/erc20.ts';
import { BOT } from '../../../sandbox/people.ts';
import { runSoak, type Soak } from './scenario.ts';
import { describe, judge } from './verdict.ts';

/** With what comes before and after it, two minutes. */
const LOAD_SECONDS = 75;
const SEED = 1;

let soak: Soak;
const told: string[] = [];

beforeAll(async () => {
  const say = (line: string) => void told.push(line);
  const alone = { store: 'sqlite', instances: 1, dialect: 'both' } as const;
  soak = await runSoak({ ...alone, seconds: LOAD_SECONDS, seed: SEED, say });
}, 900_000);

afterAll(async () => {
  await soak?.close();
}, 60_000);

test('behavior: under load, faults and kills each mention is answered once, each tip paid once, and nothing grows', async () => {
  const evidence = await soak.gather();
  expect(judge(evidence), [...told, ...describe(evidence)].join('\n')).toEqual([]);
  const seen = [...evidence.answers.counts].filter(([, statuses]) => (statuses.get(200) ?? statuses.get(201) ?? 0) > 0);
  expect(seen.map(([operation]) => operation).toSorted()).toEqual([
    ...['award tips', 'claim', 'create gig', 'look up', 'read gig', 'start gig', 'webhook'],
  ]);
  expect(evidence.outages.length).toBeGreaterThanOrEqual(2);
  expect(soak.stage.dialects.slice(0, 3)).toEqual(['old', 'new', 'old']);
  for (const { counts } of Object.values(soak.stage.gateways)) {
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  }
  expect(evidence.holdings.filter(({ expected }) => expected > 0n).length).toBeGreaterThan(20);
});

/** Sends one unit of its token from a gig's wallet to somebody who was paid already, past the service's ledger. */
async function payTwice({ stage, money }: Soak): Promise<void> {
  const gig = money.gigs.find(({ token }) => token.symbol === 'USDC');
  const [earner] = money.earners;
  if (gig === undefined || earner === undefined) throw new Error('there is nobody to pay');
  const { wallet: from, token } = gig;
  await stage.node.result('anvil_impersonateAccount', [from]);
  await stage.node.result('anvil_setBalance', [from, '0xde0b6b3a7640000']);
  const data = transferData({ to: earner.recipient, amount: 1n });
  await stage.node.result('eth_sendTransaction', [{ from, to: token.address, data }]);
}

test('security: the verdict sees a second reply, a lost one, a second payment and a dead service', async () => {
  const { stage, talk } = soak;
  await stage.stop();
  const answered = talk.mentions.find(({ platform }) => platform === 'farcaster');
  stage.networks.farcaster.post({ author: String(BOT.fid), text: 'Once more.', replyTo: answered?.postId });
  const { mentioned: lost, delivered } = talk.mention(talk.join('twitter'), 'claims');
  await delivered;
  lost.acknowledged = true;
  await payTwice(soak);
  const problems = judge(await soak.gather());
  for (const sentence of [
    new RegExp(`^farcaster ${answered?.postId} .* got 2 replies and its delivery a 200$`),
    new RegExp(`^twitter ${lost.postId} .* got 0 replies and its delivery a 200$`),
    /^member[0-9]+ holds [0-9]+ units of USDC instead of [0-9]+$/,
    /^the wallet of gig [0-9]+ holds [0-9]+ units of USDC instead of [0-9]+$/,
    /^reconcile ended with 1: .*does not add up/s,
    /^“webhook” got no answer at .*, when the service was up$/,
  ]) {
    expect(problems).toContainEqual(expect.stringMatching(sentence));
  }
});

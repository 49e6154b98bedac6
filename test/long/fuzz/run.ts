import type { LocalPlatform } from '../../../sandbox/networks/network.ts';
import { abuseConnections, residentMb } from './clients-part.ts';
import { drawCrowd, fuzzMentions, fuzzTexts } from './command-part.ts';
import { exceedLimit } from './limit-part.ts';
import { fuzzMcp } from './mcp-part.ts';
import { fuzzRequests } from './request-part.ts';
import { fuzzChallenges, fuzzWebhooks, strayMentions } from './webhook-part.ts';
import { openWorld, type World } from './world.ts';

/** How much of each part is tried. */
export interface Sizes {
  readonly requests: number;
  /** For each network. */
  readonly webhooks: number;
  readonly challenges: number;
  /** To `/mcp`, with a key and without one. */
  readonly messages: number;
  /** Read by the bot's reader. */
  readonly texts: number;
  /** Posted, and answered by the whole service. */
  readonly mentions: number;
  /** By others, while clients misbehave in each way. */
  readonly lookUps: number;
}

/** No answer may take longer, on a machine with nothing else to do. */
const SLOWEST_MS = 1_000;
const SMALL_LIMIT = 40;

/** @throws Error when the service has ended, does not answer, or has had a fault of its own */
export async function checkAlive({ service, url }: World): Promise<void> {
  if (service.child.exitCode !== null || service.child.signalCode !== null) throw new Error('the process has ended');
  if (!(await fetch(`${url}/health`)).ok) throw new Error('the process does not answer');
  const fault = service
    .output()
    .split('\n')
    .find((line) => /"level":"(?:fatal|error)".*"msg":"(?:request failed|request could not be processed)"/.test(line));
  if (fault !== undefined) throw new Error(`a fault of the service: ${fault}`);
}

async function attackWebhooks(world: World, platform: LocalPlatform, options: { count: number; seed: number }) {
  const report = await fuzzWebhooks(world, platform, options);
  const strays = await strayMentions(world, platform, report);
  if (strays.length > 0) throw new Error(`${platform}: mentions of posts that nobody signed: ${strays.join(', ')}`);
  return report;
}

async function alone(world: World, run: (world: World) => Promise<void>): Promise<void> {
  try {
    await run(world);
    await checkAlive(world);
  } finally {
    await world.close();
  }
}

/**
 * Attacks a service in every way, one after the other, and tells of each.
 * @throws Error with the first thing that is not as it should be
 */
export async function runFuzz(options: { seed: number; sizes: Sizes; say: (line: string) => void }): Promise<void> {
  const { seed, sizes, say } = options;
  const texts = await fuzzTexts({ count: sizes.texts, seed });
  say(
    `texts: ${texts.texts} read, ${texts.commands} in the grammar, ${texts.named} of posts that name who is paid; nothing else starts or pays`,
  );
  await alone(await openWorld({ crowd: drawCrowd(Math.ceil(sizes.mentions / 2)) }), async (world) => {
    const { posted, mentions } = await fuzzMentions(world, { count: sizes.mentions, seed });
    say(
      `mentions: ${posted.farcaster} on Farcaster and ${posted.twitter} on X, ${mentions} taken, none starts or pays`,
    );
    for (const platform of ['farcaster', 'twitter'] as const) {
      const { deliveries, signed, statuses } = await attackWebhooks(world, platform, { count: sizes.webhooks, seed });
      say(
        `webhooks of ${platform}: ${deliveries}, ${signed} signed, none taken that was not; ${JSON.stringify(statuses)}`,
      );
    }
    const { challenges, answered } = await fuzzChallenges(world, { count: sizes.challenges, seed });
    say(`challenges: ${challenges}, ${answered} answered, none that could be an event`);
    const { requests, proper, slowestMs, statuses } = await fuzzRequests(world, { count: sizes.requests, seed });
    say(
      `requests: ${requests}, ${proper} of them proper HTTP, slowest ${slowestMs.toFixed(0)} ms; ${JSON.stringify(statuses)}`,
    );
    for (const key of [null, world.apiKey]) {
      const { messages, calls, statuses: answers } = await fuzzMcp(world, { count: sizes.messages, seed, key });
      say(
        `messages of agents ${key === null ? 'without' : 'with'} a key: ${messages}, ${calls.done} calls done, ${calls.refused} refused; ${JSON.stringify(answers)}`,
      );
    }
    if (slowestMs > SLOWEST_MS)
      throw new Error(`an answer took ${slowestMs.toFixed(0)} ms, and may take ${SLOWEST_MS}`);
    say(`memory: ${residentMb(world).toFixed(0)} MB before clients misbehave`);
    for (const { what, connections, served, slowestMs: slowest } of await abuseConnections(world, sizes)) {
      say(`clients: ${connections} ${what}; ${served} look-ups of others served, slowest ${slowest.toFixed(0)} ms`);
    }
    say(`memory: ${residentMb(world).toFixed(0)} MB afterwards`);
  });
  const env = { RATE_LIMIT_PER_MINUTE: String(SMALL_LIMIT) };
  await alone(await openWorld({ env }), async (world) => {
    const { passed, refused } = await exceedLimit(world, { limit: SMALL_LIMIT });
    say(`limit: ${passed} requests let through, ${refused} refused with 429`);
  });
}

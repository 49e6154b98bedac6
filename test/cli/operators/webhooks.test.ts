import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answering, openWire } from '../../platforms/setup.ts';
import { openWorld, type World } from '../../support/world.ts';
import { desk, failure, output, refusal, useDesk } from '../admin.ts';

let world: World;
useDesk();
beforeEach(async () => {
  world = await openWorld();
  world.farcaster.setWebhook(null);
  world.x.setWebhook(null);
});
afterEach(() => world.close());

function register(env: Record<string, string> = {}) {
  return desk.admin(['webhooks', 'register'], { env: { ...world.env, ...env } });
}

/** Lets a platform be off. */
const OFF = {
  farcaster: {
    NEYNAR_API_KEY: '',
    NEYNAR_SIGNER_UUID: '',
    NEYNAR_WEBHOOK_SECRETS: '',
    FARCASTER_BOT_FID: '',
    FARCASTER_BOT_USERNAME: '',
  },
  x: {
    X_APP_KEY: '',
    X_APP_SECRET: '',
    X_ACCESS_TOKEN: '',
    X_ACCESS_SECRET: '',
    X_BOT_USER_ID: '',
    X_BOT_USERNAME: '',
  },
};

describe('webhooks list and delete', () => {
  const webhooks = (...args: string[]) => desk.admin(['webhooks', ...args], { env: world.env });

  test('behavior: lists what each platform holds, with what is ours and what it delivers', async () => {
    expect(await output(webhooks('list'))).toBe('No webhooks.\n');
    await register();
    const listed = await webhooks('list', '--json');
    const [farcaster, x] = JSON.parse(listed.out);
    expect([listed.code, listed.err]).toEqual([0, '']);
    expect(farcaster).toEqual({
      platform: 'farcaster',
      id: expect.stringMatching(/^webhook-[0-9]+$/),
      url: `${world.url}/webhooks/farcaster`,
      active: true,
      ours: true,
      events: ['mentioned_fids', 'parent_author_fids'],
    });
    expect(x).toEqual({
      platform: 'twitter',
      id: expect.stringMatching(/^19[0-9]{17}$/),
      url: `${world.url}/webhooks/twitter`,
      active: true,
      ours: true,
      events: ['post.mention.create', 'post.reply.create'],
    });
    const rows = (await webhooks('list')).out.trimEnd().split('\n');
    expect(rows[0]).toMatch(/^platform +id +url +active +ours +events$/);
    expect(rows[2]).toMatch(/^twitter +19[0-9]{17} .* true +true +post\.mention\.create, post\.reply\.create$/);
  });

  test('behavior: after a move the limit of X is explained; with the old webhook deleted the new one delivers', async () => {
    world.x.setWebhook('https://old.example.invalid/webhooks/twitter');
    const refused = await register(OFF.farcaster);
    const [{ id }] = JSON.parse((await webhooks('list', '--json')).out).filter(
      ({ platform }: { platform: string }) => platform === 'twitter',
    );
    expect(refused.code).toBe(1);
    expect(refused.err.split('\n')[0]).toBe(
      `✗ twitter: X allows this app no more webhooks (WebhookLimitExceeded); it has ${id} for https://old.example.invalid/webhooks/twitter. See \`npm run admin -- webhooks list\`, delete the one that is not needed with \`npm run admin -- webhooks delete x <id>\`, then register again`,
    );
    expect(await output(webhooks('delete', 'x', id))).toBe(
      `Webhook ${id} on twitter is deleted; its events are not delivered until a webhook is registered again.\n`,
    );
    expect((await register()).code).toBe(0);
    const post = world.x.post({ author: 'alice', text: '@gigclaim claims' });
    expect((await world.x.waitForReply(post.id, 20_000))?.text).toMatch(/claim/i);
  });

  test('error: a webhook that is not there, a platform that is off, and one that cannot be asked', async () => {
    expect(await refusal(webhooks('delete', 'farcaster', 'webhook-99'))).toBe(
      'There is no webhook webhook-99 on farcaster; see webhooks list.\n',
    );
    expect(await refusal(desk.admin(['webhooks', 'delete', 'x', '5'], { env: { ...world.env, ...OFF.x } }))).toEqual(
      expect.stringMatching(/^twitter is off; to turn it on, set X_APP_KEY, /),
    );
    const env = { ...world.env, X_APP_SECRET: 'fake-of-old' };
    expect(await failure(desk.admin(['webhooks', 'list'], { env }))).toBe(
      '✗ twitter: X answered 403 to “log in as the app”: Unable to verify your credentials\n',
    );
  });
});

describe('webhooks register', () => {
  test('behavior: from then on both platforms deliver to the running service, and doing it again changes nothing', async () => {
    const expected = {
      code: 0,
      err: '',
      out:
        `✓ farcaster: Neynar delivers mentions of and replies to FID 9001 to ${world.url}/webhooks/farcaster\n` +
        `✓ twitter: X delivers post.mention.create and post.reply.create of @gigclaim to ${world.url}/webhooks/twitter\n`,
    };
    expect(await register()).toEqual(expected);
    expect(await register()).toEqual(expected);
    for (const network of [world.farcaster, world.x]) {
      const { id } = network.post({ author: 'alice', text: '@gigclaim claims' });
      expect((await network.waitForReply(id, 20_000))?.text).toMatch(/claim/i);
      expect(network.repliesTo(id)).toHaveLength(1);
    }
  });

  test('behavior: the first time the secret is not known yet; it is shown, with the variable it belongs into', async () => {
    const out = await output(register({ ...OFF.x, NEYNAR_WEBHOOK_SECRETS: '' }));
    expect(out.trimEnd().split('\n').slice(1)).toEqual([
      "  Add the webhook's secret to NEYNAR_WEBHOOK_SECRETS, separated from others by a comma, and restart the service.",
      '  This is the secret; it is shown only here:',
      'sandbox-neynar-webhook-secret',
    ]);
  });

  test('security: a secret that is configured is not shown', async () => {
    const { out } = await register();
    expect(out).not.toContain('sandbox-neynar-webhook-secret');
  });

  test('error: one platform that refuses does not keep the other from being registered', async () => {
    await world.stop();
    const { code, out, err } = await register();
    expect(code).toBe(1);
    expect(out).toMatch(/^✓ farcaster: Neynar delivers /);
    expect(err).toBe(
      '✗ twitter: X answered 400 to “register the webhook”: One or more parameters to your request was invalid. CrcValidationFailed: The webhook did not answer the challenge\n' +
        `  Check that ${world.url}/webhooks/twitter reaches the running service, run doctor, then try again.\n`,
    );
  });

  test('security: a refusal shows no credential, and nothing in it is obeyed by the terminal', async () => {
    const message = 'no \u001b]0;owned\u0007 to sandbox-neynar-api-key';
    const wire = await openWire(answering(403, JSON.stringify({ message })));
    const { code, err } = await register({ ...OFF.x, NEYNAR_BASE_URL: wire.url });
    await wire.close();
    expect(code).toBe(1);
    expect(err.split('\n')[0]).toBe(
      '✗ farcaster: Neynar answered 403 to “list the webhooks”: no �]0;owned� to [redacted]',
    );
  });

  test('error: with a PUBLIC_URL that no platform can reach, nothing is asked of any', async () => {
    const env = { PUBLIC_URL: 'http://localhost:3000', NEYNAR_BASE_URL: '' };
    expect(await refusal(register({ ...OFF.x, ...env }))).toBe(
      'PUBLIC_URL is http://localhost:3000, which cannot be reached from outside this network. Set PUBLIC_URL to the https address at which the internet reaches this service.\n',
    );
  });

  test('error: with both platforms off there is nothing to register', async () => {
    const err = await refusal(register({ ...OFF.farcaster, ...OFF.x }));
    expect(err).toMatch(/^No platform is on\. For Farcaster set NEYNAR_API_KEY, .*; for X set X_APP_KEY, .*\.\n$/);
  });
});

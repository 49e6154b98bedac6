import type { Command } from 'commander';
import { PLATFORM_VARIABLES } from '../config.ts';
import { AdapterError, DomainError } from '../domain/errors.ts';
import type { SocialPlatform } from '../domain/mention.ts';
import { examples } from './arguments.ts';
import type { Context } from './context.ts';
import { plain } from './output.ts';
import { publicUrlProblem, webhookUrl } from './public-url.ts';

async function registerOne(context: Context, network: SocialPlatform, url: string): Promise<void> {
  try {
    const { detail, next, secret } = await network.registerWebhook(url);
    context.print(`✓ ${network.platform}: ${detail}`);
    if (next !== '') context.print(`  ${next}`);
    if (secret === null) return;
    context.print('  This is the secret; it is shown only here:');
    context.print(secret);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    context.fail(`✗ ${network.platform}: ${plain(error.message)}`);
    context.fail(`  See that ${url} reaches the running service, and what doctor says, then try again.`);
  }
}

async function register(context: Context): Promise<void> {
  const config = context.configToRegister();
  const problem = publicUrlProblem(config);
  if (problem !== null) {
    throw new DomainError({ code: 'invalid_request', message: `${problem.detail}. ${problem.remedy}` });
  }
  const platforms = await context.platforms(config);
  if (platforms.size === 0) {
    const { farcaster, twitter } = PLATFORM_VARIABLES;
    const message = `No platform is on. For Farcaster set ${farcaster.join(', ')}; for X set ${twitter.join(', ')}.`;
    throw new DomainError({ code: 'invalid_request', message });
  }
  for (const [platform, network] of platforms) await registerOne(context, network, webhookUrl(config, platform));
}

/** `webhooks register`: lets the platforms deliver to this service. */
export function addWebhooksCommands(program: Command, context: Context): void {
  const command = program.command('webhooks').description('how the platforms tell this service of mentions');
  const registering = command
    .command('register')
    .description(
      'let every platform that is on deliver mentions of the bot to PUBLIC_URL. Doing it again mends what is wrong and ' +
        'changes nothing else. For X the service must be running, because X asks it to prove itself. For Farcaster ' +
        'NEYNAR_WEBHOOK_SECRETS may still be unset: the secret comes with the webhook and is shown here, once.',
    )
    .action(() => register(context));
  examples(registering, 'webhooks register');
}

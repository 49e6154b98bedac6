import { readBalances } from './balances.ts';
import { readState, STATE_FILE } from './state.ts';

const USAGE = `Usage: npm run say -- <farcaster|x> <person> "<text>"

Posts into the running sandbox and prints the bot's answer, for example:
  npm run say -- farcaster alice "@gigclaim claims"
  npm run say -- x bob "@gigclaim start gig 2"

  npm run say -- balances

prints what everybody's address holds on the chain.
`;

/** How long to wait for the bot. Silence is an answer too: it ignores what is not for it. */
const PATIENCE_MS = 45_000;

async function say(network: 'farcaster' | 'x', author: string, text: string): Promise<void> {
  const url = readState(process.env['SANDBOX_STATE_FILE'] ?? STATE_FILE)[network];
  const posted = await fetch(`${url}/sandbox/posts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ author, text }),
  });
  // The sandbox's own control door; its answers have these fields.
  const post = (await posted.json()) as { id?: string; url?: string; error?: string };
  if (post.id === undefined) throw new Error(post.error ?? `the network answered ${posted.status}`);
  process.stdout.write(`@${author} on ${network}: ${text}\n${post.url === undefined ? '' : `(${post.url})\n`}`);
  const waited = await fetch(`${url}/sandbox/posts/${post.id}/reply?wait=${PATIENCE_MS}`);
  const { reply } = (await waited.json()) as { reply: { text: string } | null };
  if (reply === null) throw new Error(`The bot said nothing within ${PATIENCE_MS / 1_000} s.`);
  process.stdout.write(`@gigclaim: ${reply.text}\n`);
}

async function balances(): Promise<void> {
  const lines = await readBalances(readState(process.env['SANDBOX_STATE_FILE'] ?? STATE_FILE));
  process.stdout.write(`${lines.join('\n')}\n`);
}

const [network, author, ...words] = process.argv.slice(2);
const work =
  network === 'balances'
    ? balances()
    : (network === 'farcaster' || network === 'x') && author !== undefined && words.length > 0
      ? say(network, author, words.join(' '))
      : null;
if (work === null) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  await work.catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}

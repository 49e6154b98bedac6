import { describe, expect, test } from 'vitest';
import { anchorOf, placeOf, read, sectionOf, targetsIn } from './markdown.ts';

/** As the answer of the front page itself, and with one or two links from it. */
type Links = readonly [] | readonly [string] | readonly [string, string];

/** A question, the links from the front page to its answer, the heading of that, and what it says. */
type Row = readonly [question: string, links: Links, heading: string, words: readonly string[]];

const CONSOLE = 'docs/console.md';
const EARNING = 'docs/earning.md';
const OPERATE = 'docs/operate.md';
const PAYMENTS = 'docs/operate/payments.md';

/** Of newcomers, earners, owners, client developers, operators and contributors. */
const QUESTIONS: readonly Row[] = [
  ['How do I try it?', [], 'A minute in the sandbox', ['npm run sandbox', 'Press its buttons in order']],
  ['What does it cost to run?', [`${OPERATE}#costs`], 'Costs', ['machine', 'gas', 'Neynar', 'X', 'RPC endpoint']],
  [
    'Which accounts do I need at Neynar and X?',
    [`${OPERATE}#accounts`],
    'Accounts',
    ['an API key with webhooks', 'OAuth 1.0a'],
  ],
  [
    'How do I make a gig that pays for likes?',
    [`${EARNING}#an-example`],
    'An example',
    ['"gig_type":"like"', '"earning_criteria":{"rule":{"type":"fixed","amount":2}}'],
  ],
  [
    'How is it funded exactly, and what if I sent too much?',
    ['docs/first-gig.md#fund-it'],
    'Fund it',
    ['exactly `total_amount`', 'too much', 'raise the reward', 'everything returns'],
  ],
  [
    'How do I award by hand?',
    ['docs/first-gig.md#award-tips'],
    'Award tips',
    ['/api/gigs/$ID/tips', 'all of them or none'],
  ],
  [
    'Why did an account not earn?',
    [`${EARNING}#refusals`],
    'Refusals',
    ['the account did not earn because', 'act again before the end'],
  ],
  ['How do I claim on X?', ['docs/bot-commands.md#claim'], 'Claim', ['On X you must name one: `claim my rewards 0x…`']],
  [
    'What happens to unawarded money?',
    ['docs/gig-end.md#unawarded-funds'],
    'Unawarded funds',
    ['return to the `refund_address`', '72 hours after the [settlement]'],
  ],
  [
    'How do I stop a gig?',
    ['docs/gig-end.md', 'docs/gig-end.md#stop'],
    'Stop',
    ['stop gig 8', 'New activity no longer counts'],
  ],
  [
    'What does the bot reply to?',
    ['docs/bot-commands.md'],
    'Bot commands',
    ["Post the bot's handle and one command", 'Other mentions, also of these with more words, get the help text'],
  ],
  [
    "How do I verify an event's signature?",
    ['docs/api.md#verify-an-event'],
    'Verify an event',
    ['Standard Webhooks', 'verifyWebhook', 'timingSafeEqual'],
  ],
  [
    'What does error `gig_not_funded` mean?',
    ['docs/api.md#errors'],
    'Errors',
    ['`gig_not_funded` means', 'With too little, send the rest'],
  ],
  ['How do I back up?', [`${OPERATE}#backup`], 'Backup', ['VACUUM INTO', 'Litestream', 'GIG_WALLET_MNEMONIC']],
  [
    'What happens when I restore an old backup?',
    [OPERATE, `${PAYMENTS}#a-restored-backup`],
    'A restored backup',
    ['No tip is paid twice', 'lost since the backup'],
  ],
  ['How do I move to PostgreSQL?', ['docs/operate/store-copy.md'], 'Steps', ['store copy --to', 'Back up']],
  ['How do I update?', [`${OPERATE}#update`], 'Update', ['CHANGELOG.md', 'git pull --ff-only', 'npx gigclaim']],
  [
    'Who can move money, and with which secret?',
    ['SECURITY.md#secrets-and-what-they-open'],
    'Secrets and what they open',
    ['GIG_WALLET_MNEMONIC', 'tips:write', 'X_APP_SECRET'],
  ],
  ['Which settings are secret?', [OPERATE], 'Settings', ['| secret: words of all wallets |', 'PostgreSQL (secret)']],
  ['Where are the logs?', [`${OPERATE}#logs`], 'Logs', ['journalctl -u gigclaim', 'docker compose logs gigclaim']],
  [
    'How many gigs can it carry?',
    ['docs/performance.md#capacity'],
    'Capacity',
    ['100,000 past gigs and 500,000 tips', 'on ten'],
  ],
  [
    'What if a chain is down?',
    [`${PAYMENTS}#failures-that-heal`],
    'Failures that heal',
    ['a chain does not answer', 'nothing is lost'],
  ],
  [
    'What happens to unclaimed tips after I shut down?',
    [OPERATE],
    'Remove',
    ['Unclaimed tips stay in', 'only the mnemonic can pay them'],
  ],
  ['What does it cost owners and earners?', [], 'The way of a gig', ['5 % of the reward', 'claims are free']],
  [
    'How does an agent pay for a gig itself?',
    ['docs/api.md#gigs-without-a-key'],
    'Gigs without a key',
    ['x402', 'neither a key nor ether'],
  ],
  [
    'Why does the bot refuse me, and what do I do?',
    ['docs/bot-commands.md'],
    'Refusals',
    ['You have no claimable tokens', 'You have no verified Ethereum address'],
  ],
  [
    'What if the gas tank is empty?',
    [`${PAYMENTS}#the-gas-tank`],
    'The gas tank',
    ['payments wait and none fails', 'send the native asset'],
  ],
  ['How do I check a raffle?', [`${EARNING}#check-a-draw`], 'Check a draw', ['docs/check-draw.mjs', 'DIFFERS']],
  ['Where does a new bot command go in the code?', ['AGENTS.md#rooms'], 'Rooms', ['src/bot/commands/<name>.ts']],
];

/** Of owners and earners in the browser, and of an operator who offers it to them. */
const QUESTIONS_OF_THE_CONSOLE: readonly Row[] = [
  [
    'What can one account get?',
    [EARNING],
    'Gigs with rules',
    ['I want', 'the same for each account, first come', 'a raffle'],
  ],
  ['What does a rule say on the page of the gig?', [EARNING], 'Gigs with rules', ['the gig then says']],
  [
    'Which fields does a rule have in the form?',
    [EARNING],
    'Gigs with rules',
    ['Amount for each account', 'Round length, in hours'],
  ],
  ['Who may take part?', [EARNING, `${EARNING}#rules`], 'Rules', ['gates.min_score', 'gates.verified_address']],
  ['How do I create a gig?', [CONSOLE], 'Create a gig', ['/my/gigs/new', 'who gets what']],
  ['When does it start?', [CONSOLE], 'Create a gig', ['"As soon as it is funded"']],
  [
    'Can I change a gig, or make another like it?',
    [CONSOLE],
    'Create a gig',
    ['"Edit" changes the gig until it is live', '"Copy"'],
  ],
  ['How do I pay?', [`${CONSOLE}#pay`], 'Pay', ['one transfer', 'QR code', 'On a phone']],
  [
    'What if I paid from elsewhere, or my wallet failed?',
    [`${CONSOLE}#pay`],
    'Pay',
    ['"Sent from elsewhere?"', '"It was not sent"'],
  ],
  ['What if I sent too much?', [`${CONSOLE}#pay`], 'Pay', ['raise the reward, or cancel: everything returns']],
  [
    'How does a list of awards look?',
    [`${CONSOLE}#award-by-list`],
    'Award by list',
    ['@alice,10', 'farcaster:1002,2.5'],
  ],
  [
    'What if an account has a tip already?',
    [`${CONSOLE}#award-by-list`],
    'Award by list',
    ['The preview skips accounts that have a tip'],
  ],
  ['Can I take an award back?', [`${CONSOLE}#award-by-list`], 'Award by list', ['Awards are final']],
  [
    'How do I judge submissions, and do winners hear of it?',
    [CONSOLE],
    'Judge submissions',
    ['oldest first', 'The bot replies to winners'],
  ],
  [
    'Where do I see who earned, and what returned?',
    [CONSOLE],
    'Follow and end a gig',
    ['who earned', "the refund's transaction"],
  ],
  ['How do I end a gig?', [CONSOLE], 'Follow and end a gig', ['"Stop", "Settle" and "Cancel"']],
  [
    'Which files are there for taxes and bookkeeping?',
    [CONSOLE],
    'Follow and end a gig',
    ['"CSV for Koinly"', '"CSV for a ledger"'],
  ],
  ['How do I turn notifications off?', ['docs/notifications.md'], 'Notifications', ['`notify off`', '*Turn off*']],
  ['How do I claim with a button?', [`${CONSOLE}#claim-your-rewards`], 'Claim your rewards', ['/my/rewards']],
  ['How do I sign in?', [CONSOLE, `${CONSOLE}#sign-in`], 'Sign in', ['scan the code', 'sign it']],
  [
    'How do I sign in without the Farcaster app, or for X?',
    [CONSOLE],
    'Link a wallet',
    ['@bot link 0x…', 'Wait 10 minutes'],
  ],
  [
    'How do I turn it on, with my name and colors?',
    [OPERATE],
    'Operate',
    ['set `SIGN_IN` and `OWNER_CREATE`', '`SITE_NAME`, `SITE_ACCENT`'],
  ],
];

/** What is wrong with the way to an answer, or with that; none when a reader finds it. */
function problemsOf([, links, heading, words]: Row): string[] {
  const ways = ['README.md', ...links.map((link) => link.split('#')[0] ?? '')];
  const missing = links.filter((link, at) => {
    const document = ways[at] ?? '';
    const places = targetsIn(read(document)).map((target) => placeOf(document, target));
    return !places.some(({ path, anchor }) => [path, anchor].filter((part) => part !== undefined).join('#') === link);
  });
  const anchor = links.at(-1)?.split('#')[1];
  const astray = anchor === undefined || anchor === anchorOf(heading) ? [] : [`the last link is not to ${heading}`];
  const said = sectionOf(read(ways.at(-1) ?? ''), heading).replaceAll(/\s+/g, ' ');
  const unsaid = words.filter((text) => !said.includes(text));
  return [
    ...missing.map((link) => `no link to ${link}`),
    ...astray,
    ...unsaid.map((text) => `it does not say ${text}`),
  ];
}

describe.each([
  ['of newcomers', QUESTIONS],
  ['of the console', QUESTIONS_OF_THE_CONSOLE],
])('the questions %s', (_, rows) => {
  test('behavior: are twenty', () => {
    expect(rows.length).toBeGreaterThanOrEqual(20);
  });

  test.each(rows)('behavior: %s', (...row) => {
    expect(problemsOf(row)).toEqual([]);
  });
});

test('error: a link, a heading and words that are not there are found', () => {
  expect(problemsOf(['?', [`${OPERATE}#backup`], 'Restore', ['nothing like this']])).toEqual([
    'the last link is not to Restore',
    'it does not say nothing like this',
  ]);
  expect(problemsOf(['?', ['docs/glossary.md#gig'], 'Glossary', []])).toEqual([
    'no link to docs/glossary.md#gig',
    'the last link is not to Glossary',
  ]);
  expect(() => problemsOf(['?', [], 'Nowhere', []])).toThrow('there is no heading Nowhere');
});

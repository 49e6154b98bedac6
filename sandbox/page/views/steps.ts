import { html } from 'hono/html';
import { renderBadge, type Tone } from '../../../src/http/ui/badges.ts';
import type { Markup } from '../../../src/http/ui/layout.ts';
import { NO_BACKUP } from '../actions.ts';
import type { StepName } from '../presses.ts';
import type { StepView } from '../steps.ts';

const STATES: Readonly<Record<StepView['state'], readonly [words: string, tone: Tone]>> = {
  open: ['to do', 'quiet'],
  running: ['under way', 'wait'],
  done: ['done', 'ok'],
};

/** What a step is called, what happens, and what its button says: only the button names the next gig. */
function words({ name, next }: StepView): readonly [title: string, text: string, button: string] {
  const gig = `gig ${next.gigId}`;
  const texts: Readonly<Record<StepName, readonly [string, string, string]>> = {
    'look-up': ['Look-up', 'alice asks on Farcaster what she can claim. The bot replies.', 'Ask as alice'],
    refused: [
      'Refused start',
      'bob starts a gig on X. Its wallet does not hold exactly what the gig needs; the bot says what is missing.',
      next.gigId === null ? 'Create a gig and start it' : `Start ${gig} as bob`,
    ],
    accepted: [
      'Accepted start',
      'The wallet of a gig is funded with exactly what it needs. bob starts the gig, and it is live.',
      next.gigId === null ? 'Create, fund and start a gig' : `${next.tooMuch ? 'Fit' : 'Fund'} and start ${gig}`,
    ],
    payout: [
      'Payout',
      'A user claims with a cast. The tips of all gigs are paid in one transaction on chain, and the bot confirms it.',
      `Claim as ${next.author}`,
    ],
    crash: [
      'Crash',
      'Two users post, and the service is killed before it can answer. It restarts and answers each post once.',
      'Post and kill',
    ],
    restore: [
      'Old backup',
      'The service gets back its database from before the payout. The chain knows what was paid, and nobody is paid twice.',
      'Put back yesterday’s database',
    ],
    earn: [
      'Earned by a like',
      'A gig pays 2 USDC for a like. All like the cast, carol takes it back, 13 hours pass. alice and bob claim; mallory asks why not.',
      'Create a gig that pays likes',
    ],
    bounty: [
      'Bounty',
      'A gig asks for a logo. alice and bob submit to the bot; a verifier, a program, awards alice 2.5 USDC and refuses bob, who asks why not.',
      'Create a bounty',
    ],
    raffle: [
      'Raffle',
      'All like a cast. A day and a half later a block that nobody knew draws one of three; mallory is out. The winner claims 10 USDC.',
      'Create a raffle',
    ],
    refund: [
      'Refund',
      'A gig of 10 USDC awards alice 2. Its owner bob stops and settles it. Three days later the rest is back in the funder’s wallet, and alice claims.',
      'Create a gig and end it',
    ],
    receiver: [
      'Receiver down',
      'A program takes the events of all gigs. It is killed for 15 seconds, in which a gig starts and awards tips. It gets each event, in order.',
      'Kill the receiver',
    ],
    owner: [
      'An owner’s gig',
      'bob signs in with the wallet, creates a gig and pays it. Within a minute it starts by itself. A list with one wrong line awards from it.',
      'Create a gig as bob',
    ],
    button: [
      'Claim by button',
      'alice earns 2 USDC, signs in with Farcaster and claims with a button, without a post. A second click pays nothing.',
      'Earn and claim as alice',
    ],
  };
  return texts[name];
}

/** The strip at the top: things to try. */
export function renderSteps(
  steps: readonly StepView[],
  { service, hasBackup }: { service: string; hasBackup: boolean },
): Markup {
  return html`<ol class="steps">${steps.map((step, index) => {
    const [title, text, button] = words(step);
    const [state, tone] = STATES[step.state];
    const isPossible = step.name !== 'restore' || hasBackup;
    return html`<li class="step ${step.state}" id="step-${step.name}">
<div class="title"><h3><span class="count" aria-hidden="true">${index + 1}</span> ${title}</h3> ${renderBadge(state, tone)}</div>
<p class="small">${isPossible ? text : NO_BACKUP}</p>
${step.outcome === null ? '' : html`<p class="small result" id="${step.outcome.id}"><bdi>${step.outcome.text}</bdi></p>`}
${step.name === 'raffle' && step.outcome !== null ? html`<p class="small"><a href="${service}/gigs/${step.outcome.gigId}/draw">The draw and its proof</a></p>` : ''}
${isPossible ? html`<form action="/steps/${step.name}" method="post" data-act><button class="slim${step.state === 'open' ? ' primary' : ''}" id="try-${step.name}">${button}</button></form>` : ''}
</li>`;
  })}</ol>`;
}

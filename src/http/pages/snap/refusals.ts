import type { Context } from 'hono';
import type { TapRefusal } from '../../../domain/claims/tap.ts';
import type { AppEnv } from '../../middleware/context.ts';
import type { Site } from '../../ui/layout.ts';
import { messageCard } from './claim-cards.ts';
import { answerCard, cardText } from './snap.ts';

/** What a person does about a tap that is refused, with the status of the answer. */
const REFUSED: Readonly<Record<TapRefusal, readonly [status: number, sentence: string]>> = {
  malformed: [400, 'Your app sent something that is no tap. Update the app, then tap again.'],
  other_account: [401, 'This tap names two accounts. Reload the cast, then tap again.'],
  other_audience: [401, 'This tap is for another site. Reload the cast, then tap again.'],
  out_of_time: [401, 'This tap is more than 5 minutes old, or the clock of your device is wrong. Tap again.'],
  bad_signature: [401, 'The signature of this tap is wrong. Reload the cast, then tap again.'],
  unknown_key: [401, 'Your app may not sign for your account. Sign in to the app again, then tap.'],
};

/** Where a tap that failed is sent again; null for a request that was no tap. */
function tappedUrl({ req: { method, path } }: Context<AppEnv>, { publicUrl }: Pick<Site, 'publicUrl'>): string | null {
  return method === 'POST' ? `${publicUrl}${path}` : null;
}

/** Answers with a sentence as a card. */
export function answerSentence(
  c: Context<AppEnv>,
  site: Pick<Site, 'publicUrl'>,
  { sentence, ...how }: { sentence: string; status: number; headers?: Readonly<Record<string, string>> | undefined },
): Response {
  return answerCard(c, cardText(messageCard(sentence, tappedUrl(c, site))), how);
}

export function answerRefusal(c: Context<AppEnv>, site: Pick<Site, 'publicUrl'>, refusal: TapRefusal): Response {
  const [status, sentence] = REFUSED[refusal];
  return answerSentence(c, site, { status, sentence });
}

/** Answers what goes wrong with this request as a card. */
export function showErrorCards(c: Context<AppEnv>, site: Pick<Site, 'publicUrl'>): void {
  c.set('errorPage', async (error) => answerSentence(c, site, error));
}

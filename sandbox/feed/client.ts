import { signAsApp } from '../owners/app-keys.ts';
import type { Person } from '../people.ts';
import { CARD_TYPE, type Card, parseCard, textsOf } from './card.ts';

/** How long a client waits for a card. */
const PATIENCE_MS = 5_000;

/** A tap of a person on a card in a cast. */
export interface Tap {
  readonly who: Person;
  readonly cast: { readonly id: string; readonly author: { readonly id: string } };
  /** Where the button leads. */
  readonly target: string;
  /** Epoch ms. */
  readonly at: number;
}

/** What a tap was answered: the next card, or why there is none, in words. */
export type TapAnswer = { readonly card: Card } | { readonly problem: string };

type Answer = { readonly status: number; readonly card: Card | null; readonly text: string };

async function ask(url: string, init: RequestInit): Promise<Answer | 'silent' | 'down'> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const headers = { accept: CARD_TYPE, ...init.headers };
    const answer = await fetch(url, { ...init, headers, signal, redirect: 'error' });
    const text = await answer.text();
    const isCard = answer.headers.get('content-type')?.startsWith(CARD_TYPE) === true;
    return { status: answer.status, card: isCard ? parseCard(text) : null, text };
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'silent' : 'down';
  }
}

/** The card behind a URL, asked for without a name, as the servers of clients do; null when it has none now. */
export async function fetchCard(url: string): Promise<Card | null> {
  const answer = await ask(url, {});
  return typeof answer === 'object' && answer.status === 200 ? answer.card : null;
}

/** Signs a tap with the person's app key and sends it, as that person's client does. */
export async function sendTap({ who, cast, target, at }: Tap): Promise<TapAnswer> {
  const payload = {
    fid: who.fid,
    inputs: {},
    timestamp: Math.floor(at / 1_000),
    audience: new URL(target).origin,
    user: { fid: who.fid },
    surface: { type: 'cast', cast: { hash: cast.id, author: { fid: Number(cast.author.id) } } },
  };
  const headers = { 'content-type': 'application/json' };
  const answer = await ask(target, { method: 'POST', headers, body: signAsApp(who, payload) });
  if (answer === 'silent') return { problem: `No answer within ${PATIENCE_MS / 1_000} s. Tap again.` };
  if (answer === 'down') return { problem: 'The service did not answer: it is down or restarting. Tap again.' };
  const { status, card, text } = answer;
  if (status === 200 && card !== null) return { card };
  const said = card === null ? text.slice(0, 200) : textsOf(card);
  return { problem: `The service answered ${status}${said === '' ? '.' : `: ${said}`}` };
}

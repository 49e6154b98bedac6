import type { Context } from 'hono';
import type { AppEnv } from '../../middleware/context.ts';

// The shapes of Farcaster's cards, Snaps 2.0, which is a beta: https://docs.farcaster.xyz/snap. No other file knows them.

const MEDIA_TYPE = 'application/vnd.farcaster.snap+json';
/** A client shows no card that exceeds one of these. Texts are in UTF-16 units. */
const MOST = {
  elements: 64,
  atRoot: 7,
  children: 6,
  depth: 5,
  text: 320,
  title: 100,
  description: 160,
  label: 30,
  progress: 60,
};
/** The rows of a list. */
const MOST_ROWS = MOST.children;

/** What a press of a button does. */
type Press =
  | { readonly action: 'submit' | 'open_url' | 'open_mini_app'; readonly params: { readonly target: string } }
  | { readonly action: 'view_cast'; readonly params: { readonly hash: string } }
  | {
      readonly action: 'compose_cast';
      readonly params: { readonly text: string; readonly embeds: readonly string[] };
    };

/** An element of a card with those in it. */
export interface CardPart {
  readonly type: 'text' | 'item' | 'item_group' | 'progress' | 'button' | 'stack';
  readonly props: Readonly<Record<string, string | number | boolean>>;
  readonly children?: readonly CardPart[];
  readonly on?: { readonly press: Press };
}

export interface Card {
  /** From top to bottom, at most seven. */
  readonly parts: readonly CardPart[];
  /** Whether it is celebrated. */
  readonly hasConfetti?: boolean;
}

/** Puts text on one line, at most `most` UTF-16 units long. Control characters and bidirectional marks become spaces. */
function cut(text: string, most: number): string {
  const line = text.replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, ' ').trim();
  if (line === '') return '–';
  if (line.length <= most) return line;
  let kept = '';
  for (const { segment } of new Intl.Segmenter('en').segment(line)) {
    if (kept.length + segment.length >= most) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** The first text of a card. */
export function heading(content: string): CardPart {
  return { type: 'text', props: { content: cut(content, MOST.text), weight: 'bold' } };
}

export function paragraph(content: string): CardPart {
  return { type: 'text', props: { content: cut(content, MOST.text) } };
}

export function caption(content: string): CardPart {
  return { type: 'text', props: { content: cut(content, MOST.text), size: 'sm' } };
}

/** A row of a list. */
export interface CardRow {
  readonly title: string;
  readonly description: string;
}

/** As many rows as fit; the rest is counted. None for no rows. */
export function list(rows: readonly CardRow[]): CardPart[] {
  const shown = rows.length > MOST_ROWS ? rows.slice(0, MOST_ROWS - 1) : rows;
  const more = rows.length - shown.length;
  const all = more === 0 ? shown : [...shown, { title: `And ${more} more`, description: '' }];
  const children = all.map(
    ({ title, description }): CardPart => ({
      type: 'item',
      props: {
        title: cut(title, MOST.title),
        ...(description === '' ? {} : { description: cut(description, MOST.description) }),
      },
    }),
  );
  return children.length === 0 ? [] : [{ type: 'item_group', props: { separator: true }, children }];
}

/** A share of a whole, both of the same unit. */
export function progress({ part, whole, label }: { part: bigint; whole: bigint; label: string }): CardPart {
  const value = whole <= 0n || part <= 0n ? 0 : Number((part * 1000n) / whole) / 10;
  return { type: 'progress', props: { value: Math.min(100, value), max: 100, label: cut(label, MOST.progress) } };
}

interface ButtonOptions {
  readonly isPrimary?: boolean;
}

function button(label: string, press: Press, { isPrimary = false }: ButtonOptions = {}): CardPart {
  const props = { label: cut(label, MOST.label), variant: isPrimary ? 'primary' : 'secondary' };
  return { type: 'button', props, on: { press } };
}

/** A button that sends a signed tap to a URL, which answers with the next card. */
export function tapButton(label: string, target: string, options?: ButtonOptions): CardPart {
  return button(label, { action: 'submit', params: { target } }, options);
}

/** A button that opens a page in the browser. */
export function linkButton(label: string, target: string): CardPart {
  return button(label, { action: 'open_url', params: { target } });
}

/** A button that opens a page of this service as a mini app. */
export function pageButton(label: string, target: string): CardPart {
  return button(label, { action: 'open_mini_app', params: { target } });
}

export function castButton(label: string, hash: string): CardPart {
  return button(label, { action: 'view_cast', params: { hash } });
}

/** A button that begins a cast with this text, which shows the card of this URL. */
export function shareButton(label: string, { text, url }: { text: string; url: string }): CardPart {
  return button(label, { action: 'compose_cast', params: { text: cut(text, MOST.text), embeds: [url] } });
}

/** Buttons beside each other; none for no buttons. */
export function row(buttons: readonly CardPart[]): CardPart[] {
  return buttons.length === 0 ? [] : [{ type: 'stack', props: { direction: 'horizontal' }, children: buttons }];
}

/** Parts below each other, as one of the few that the whole card may have. None for no parts. */
export function column(parts: readonly CardPart[]): CardPart[] {
  return parts.length === 0 ? [] : [{ type: 'stack', props: { gap: 'sm' }, children: parts }];
}

type Element = Omit<CardPart, 'children'> & { readonly children?: readonly string[] };

/** A card as it is sent. @throws TypeError for one that no client would show */
export function cardText({ parts, hasConfetti = false }: Card): string {
  const elements: Record<string, Element> = {};
  function add(id: string, { children = [], ...element }: CardPart, depth: number): string {
    const most = depth === 1 ? MOST.atRoot : MOST.children;
    if (depth > MOST.depth || children.length > most) throw new TypeError(`part ${id} of a card is too large`);
    const ids = children.map((child, index) => add(`${id}-${index}`, child, depth + 1));
    elements[id] = ids.length === 0 ? element : { ...element, children: ids };
    return id;
  }
  const root = add('card', { type: 'stack', props: {}, children: parts }, 1);
  if (Object.keys(elements).length > MOST.elements) throw new TypeError('a card has too many parts');
  const effects = hasConfetti ? { effects: ['confetti'] } : {};
  return JSON.stringify({ version: '2.0', theme: { accent: 'purple' }, ...effects, ui: { root, elements } });
}

/** How a card is answered. */
export interface CardAnswer {
  /** 200 when absent. */
  readonly status?: number;
  /** Nobody keeps it when absent. */
  readonly cacheControl?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Answers with a card as {@link cardText} has made it. */
export function answerCard(c: Context<AppEnv>, text: string, options: CardAnswer = {}): Response {
  const { status = 200, cacheControl = 'private, no-store', headers } = options;
  const all = { ...c.get('request').headers, ...headers, 'content-type': MEDIA_TYPE, 'cache-control': cacheControl };
  return new Response(text, { status, headers: all });
}

/** Names the card of a path of this service in the headers of an answer. */
export function announceCard(c: Context<AppEnv>, path: string): void {
  const { headers } = c.get('request');
  headers['vary'] = 'Accept';
  headers['link'] = `<${path}>; rel="alternate"; type="${MEDIA_TYPE}"`;
}

/** Whether a client wants a card before all else, by its `Accept` header. Of equal wishes the first counts. */
export function prefersCard(c: Context<AppEnv>): boolean {
  let best = { type: '', weight: 0 };
  for (const range of (c.req.header('accept') ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((text) => text.trim());
    const quality = parameters.find((text) => text.startsWith('q='))?.slice('q='.length);
    const weight = quality === undefined ? 1 : Number(quality);
    if (weight > best.weight) best = { type, weight };
  }
  return best.type === MEDIA_TYPE;
}

import { snapJsonRenderCatalog } from '@farcaster/snap/ui';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Rule } from '../../../../src/domain/earning/rules/index.ts';
import type { Service } from '../../service.ts';

export const MEDIA_TYPE = 'application/vnd.farcaster.snap+json';

/** A URL that clients open: https, or http to this machine or the tests' own. */
const url = z.string().regex(/^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|gigclaim\.test)[:/])/);
const press = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal(['submit', 'open_url', 'open_mini_app']),
    params: z.strictObject({ target: url }),
  }),
  z.strictObject({
    action: z.literal('view_cast'),
    params: z.strictObject({ hash: z.string().regex(/^0x[0-9a-f]+$/) }),
  }),
  z.strictObject({
    action: z.literal('compose_cast'),
    params: z.strictObject({ text: z.string().min(1), embeds: z.array(url).max(2) }),
  }),
]);
const element = z.strictObject({
  type: z.string(),
  props: z.record(z.string(), z.unknown()),
  children: z.array(z.string()).min(1).optional(),
  on: z.strictObject({ press }).optional(),
});
/** The envelope of version 2.0; the published package has that of 1.0. */
const envelope = z.strictObject({
  version: z.literal('2.0'),
  theme: z.strictObject({ accent: z.literal('purple') }),
  effects: z.tuple([z.literal('confetti')]).optional(),
  ui: z.strictObject({ root: z.string(), elements: z.record(z.string(), element) }),
});

type Shown = z.output<typeof envelope>;

/** The package of 1.0 calls the filled button `default`. */
function inCatalog({ type, props, children }: z.output<typeof element>) {
  const filled = type === 'button' && props['variant'] === 'primary';
  return { type, props: filled ? { ...props, variant: 'default' } : props, ...(children && { children }) };
}

/** A card that was answered, once it keeps the envelope, the limits of its tree and the catalog of elements. */
export function readCard(text: string): Shown {
  const card = envelope.parse(JSON.parse(text));
  const { root, elements } = card.ui;
  expect(Object.keys(elements).length).toBeLessThanOrEqual(64);
  const seen = new Set<string>();
  const visit = (id: string, depth: number): void => {
    const found = elements[id];
    if (found === undefined) throw new Error(`the card has no element ${id}`);
    expect([id, depth <= 5, seen.has(id)]).toEqual([id, true, false]);
    seen.add(id);
    const { children = [] } = found;
    expect(children.length).toBeLessThanOrEqual(id === root ? 7 : 6);
    if (found.type === 'item_group')
      expect(children.map((child) => elements[child]?.type)).toEqual(children.map(() => 'item'));
    for (const child of children) visit(child, depth + 1);
  };
  visit(root, 1);
  expect([...seen].toSorted()).toEqual(Object.keys(elements).toSorted());
  const spec = {
    root,
    elements: Object.fromEntries(Object.entries(elements).map(([id, each]) => [id, inCatalog(each)])),
  };
  expect(snapJsonRenderCatalog.validate(spec)).toMatchObject({ success: true });
  return card;
}

/** What a person reads of a card, from top to bottom. */
export function textsOf({ ui: { root, elements } }: Shown): string[] {
  const read = (id: string): string[] => {
    const found = elements[id];
    if (found === undefined) return [];
    const { props, children = [] } = found;
    const own = ['content', 'title', 'description', 'label'].flatMap((name) => {
      const text = props[name];
      return typeof text === 'string' ? [text] : [];
    });
    return [...own, ...children.flatMap(read)];
  };
  return read(root);
}

function pressOf({ ui: { elements } }: Shown, label: string) {
  for (const { type, props, on } of Object.values(elements)) {
    if (type === 'button' && props['label'] === label && on !== undefined) return on.press;
  }
  throw new Error(`the card has no button ${label}`);
}

/** The URL that a button taps, opens or embeds, by its label. */
export function targetOf(card: Shown, label: string): string {
  const { params } = pressOf(card, label);
  return 'target' in params ? params.target : 'hash' in params ? params.hash : (params.embeds[0] ?? '');
}

/** The cast that a button begins, by its label: its text and what it embeds. */
export function castOf(card: Shown, label: string): { readonly text: string; readonly embeds: readonly string[] } {
  const press = pressOf(card, label);
  if (press.action !== 'compose_cast') throw new Error(`the button ${label} begins no cast`);
  return press.params;
}

const UNIT = 10n ** 18n;
const DAY = 86_400_000;

/** One of each rule by which accounts earn for what they do. */
export const RULES: readonly Rule[] = [
  { type: 'fixed', amount: 2n * UNIT },
  { type: 'split', roundMs: DAY, maxAmount: 100n * UNIT },
  { type: 'weighted', by: 'score_reach', roundMs: DAY, maxAmount: 1_000n * UNIT },
  { type: 'raffle', winners: 2 },
  { type: 'verifier', maxAmount: UNIT },
  { type: 'manual' },
];

/** What is answered to somebody who prefers a card. */
export async function get({ app }: Pick<Service, 'app'>, path: string, headers: Record<string, string> = {}) {
  const response = await app.request(path, { headers: { accept: MEDIA_TYPE, ...headers } });
  return { response, status: response.status, text: await response.text() };
}

/** A card at a path, once it keeps all limits. */
export async function cardOf(service: Pick<Service, 'app'>, path: string) {
  const { response, text } = await get(service, path);
  expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, MEDIA_TYPE]);
  const card = readCard(text);
  return { card, texts: textsOf(card), response };
}

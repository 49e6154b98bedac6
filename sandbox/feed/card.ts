import { z } from 'zod';

/** The media type of a card: Farcaster Snaps, version 2.0. */
export const CARD_TYPE = 'application/vnd.farcaster.snap+json';

/** The names of colors, from which clients choose their own hues. */
export const COLORS = ['gray', 'blue', 'red', 'amber', 'green', 'teal', 'purple', 'pink'] as const;

const fields = z.record(z.string(), z.unknown()).default({});
const element = z.object({
  type: z.string(),
  props: fields,
  children: z.array(z.string()).default([]),
  on: z.object({ press: z.object({ action: z.string(), params: fields }).optional() }).default({}),
});

const elements = z.record(z.string(), element).transform((byId) => new Map(Object.entries(byId)));

const card = z.object({
  version: z.literal('2.0'),
  theme: z.object({ accent: z.enum(COLORS).default('purple') }).default({ accent: 'purple' }),
  effects: z.array(z.string()).default([]),
  ui: z.object({ root: z.string(), elements }),
});

/** A card as a client has it: its elements by their ids, from its root down. */
export type Card = z.output<typeof card>;
export type CardElement = z.output<typeof element>;

/** The card of a JSON text, or null. */
export function parseCard(text: string): Card | null {
  try {
    return card.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // What is no JSON is no card.
    return null;
  }
}

/** All texts of a card, in the order of its elements: what a client says when it refuses to show a card. */
export function textsOf({ ui }: Card): string {
  const texts = [...ui.elements.values()].flatMap(({ type, props }) => (type === 'text' ? [props['content']] : []));
  return texts.filter((text) => typeof text === 'string').join(' ');
}

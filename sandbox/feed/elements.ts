import { html } from 'hono/html';
import { z } from 'zod';
import type { Markup } from '../../src/http/ui/layout.ts';
import { type Card, type CardElement, COLORS } from './card.ts';

/** How deep elements are drawn, as the protocol limits them: a card that holds itself ends there. */
const MAX_DEPTH = 5;

/** The protocol's icons by their names, each with the character that stands for its picture. */
const ICONS: ReadonlyMap<string, string> = new Map(
  [
    'arrow-right →, arrow-left ←, external-link ↗, chevron-right ›, check ✓, x ✕, alert-triangle ⚠, info ⓘ',
    'clock ◷, heart ♥, message-circle ❝, repeat ⇄, share ⤴, user ☺, users ☻, star ★, trophy ♛, zap ⚡, flame ♨',
    'gift ❖, image ▣, play ▶, pause ‖, wallet ▤, coins ◎, plus +, minus −, refresh-cw ↻, bookmark ⚑, thumbs-up △',
    'thumbs-down ▽, trending-up ↗, trending-down ↘',
  ]
    .join(', ')
    .split(', ')
    .map((icon) => [icon.slice(0, -2), icon.slice(-1)] as const),
);

/** Where a card is drawn. */
export interface CardPlace {
  /** What the ids of its buttons begin with. */
  readonly key: string;
  /** Whether the feed shows the cast with this hash. */
  readonly isShown: (hash: string) => boolean;
}

type Inside = CardPlace & { readonly elements: Card['ui']['elements']; readonly depth: number };
type Draw = (element: CardElement, id: string, inside: Inside) => Markup | null;

/** A drawing of elements whose properties are as the schema says. */
function drawing<S extends z.ZodType>(
  schema: S,
  draw: (props: z.output<S>, element: CardElement, id: string, inside: Inside) => Markup,
): Draw {
  return (element, id, inside) => {
    const { data } = schema.safeParse(element.props);
    return data === undefined ? null : draw(data, element, id, inside);
  };
}

const text = z.string().min(1);
const size = z.enum(['none', 'sm', 'md', 'lg']).optional();
const hue = z.enum(['accent', ...COLORS]);
const color = hue.default('accent');
const picture = z.url({ protocol: /^https?$/ });
const media = z.discriminatedUnion('variant', [
  z.object({ variant: z.literal('icon'), name: text, color }),
  z.object({
    variant: z.literal('image'),
    url: picture,
    alt: z.string().default(''),
    round: z.boolean().default(false),
  }),
]);

function renderIcon(name: string | undefined, tint = ''): Markup | '' {
  if (name === undefined) return '';
  return html`<span class="icon ${tint}" aria-hidden="true">${ICONS.get(name) ?? name}</span>`;
}

/** Where a button leads that opens something; null for one that acts, undefined for one that the sandbox has no place for. */
function linkOf({ on: { press } }: CardElement, { isShown }: Inside): string | null | undefined {
  const { target, hash } = press?.params ?? {};
  switch (press?.action) {
    case 'submit':
    case 'compose_cast':
      return null;
    case 'open_url':
    case 'open_mini_app':
      return picture.safeParse(target).data;
    case 'view_cast':
      return typeof hash === 'string' && isShown(hash) ? `#cast-${hash}` : undefined;
    default:
      return undefined;
  }
}

const renderText = drawing(
  z.object({
    content: text,
    size: z.enum(['sm', 'md']).default('md'),
    weight: z.enum(['bold', 'normal']).default('normal'),
    align: z.enum(['left', 'center', 'right']).default('left'),
    maxLines: z.int().min(1).max(6).optional(),
  }),
  ({ content, size, weight, align, maxLines: lines }) =>
    html`<p class="text ${size} ${weight} ${align}${lines === undefined ? '' : ` brief lines-${lines}`}">${content}</p>`,
);

const renderBadge = drawing(
  z.object({ label: text, variant: z.enum(['default', 'outline']).default('default'), color, icon: text.optional() }),
  ({ label, variant, color, icon }) =>
    html`<span class="label ${variant} ${color}">${renderIcon(icon)} ${label}</span>`,
);

const renderButton = drawing(
  z.object({ label: text, variant: z.enum(['primary', 'secondary']).default('secondary'), icon: text.optional() }),
  ({ label, variant, icon }, element, id, inside) => {
    const href = linkOf(element, inside);
    const words = html`${renderIcon(icon)} ${label}`;
    if (href === undefined) return html`<button type="button" class="${variant}" disabled>${words}</button>`;
    if (href === null) {
      return html`<button class="${variant}" id="${inside.key}-${id}" name="button" value="${id}">${words}</button>`;
    }
    return html`<a class="button ${variant}" id="${inside.key}-${id}" href="${href}">${words}</a>`;
  },
);

const renderProgress = drawing(
  z.object({ value: z.number(), max: z.number().positive(), label: z.string().default('') }),
  ({ value, max, label }, _, id, { key }) =>
    html`<div class="bar"><label for="${key}-${id}">${label === '' ? html`<span class="unseen">Progress</span>` : label}</label>
<progress id="${key}-${id}" class="accent" value="${value}" max="${max}"></progress></div>`,
);

const renderBars = drawing(
  z.object({
    bars: z.array(z.object({ label: text, value: z.number(), color: hue.optional() })).min(1),
    max: z.number().positive().optional(),
    color,
  }),
  ({ bars, max = Math.max(1, ...bars.map(({ value }) => value)), color }) =>
    html`<ul class="plain chart">${bars.map(
      (bar) =>
        html`<li><span class="name">${bar.label}</span> <progress class="${bar.color ?? color}" aria-hidden="true" value="${bar.value}" max="${max}"></progress> <span class="number">${bar.value}</span></li>`,
    )}</ul>`,
);

const renderImage = drawing(
  z.object({
    url: picture,
    aspect: z.enum(['1:1', '16:9', '4:3', '9:16', '4:1']),
    alt: z.string().default(''),
    title: z.string().optional(),
    subtitle: z.string().optional(),
  }),
  ({ url, aspect, alt, title, subtitle }) =>
    html`<figure class="picture ratio-${aspect.replace(':', '-')}"><img src="${url}" alt="${alt}">
${title === undefined && subtitle === undefined ? '' : html`<figcaption><strong>${title}</strong> ${subtitle}</figcaption>`}</figure>`,
);

const renderItem = drawing(
  z.object({ title: text, description: z.string().optional(), media: media.optional() }),
  ({ title, description, media }, { children }, _, inside) => {
    const left =
      media?.variant === 'image'
        ? html`<img${media.round ? html` class="round"` : ''} src="${media.url}" alt="${media.alt}">`
        : renderIcon(media?.name, media?.color);
    const right = children.length === 0 ? '' : html`<div class="actions">${renderAll(children, inside)}</div>`;
    return html`<div class="item">${left}<div class="content"><p class="item-title">${title}</p>
${description === undefined ? '' : html`<p class="description">${description}</p>`}</div>${right}</div>`;
  },
);

const renderGroup = drawing(
  z.object({ border: z.boolean().default(false), separator: z.boolean().default(false), gap: size }),
  ({ border, separator, gap }, { children }, _, inside) => {
    const classes = `${border ? ' border' : ''}${separator ? ' divided' : ''}${gap === undefined ? '' : ` gap-${gap}`}`;
    return html`<ul class="plain items${classes}">${children.map((id) => html`<li>${renderElement(id, inside)}</li>`)}</ul>`;
  },
);

const renderStack = drawing(
  z.object({
    direction: z.enum(['vertical', 'horizontal']).default('vertical'),
    gap: size,
    justify: z.enum(['start', 'center', 'end', 'between', 'around']).optional(),
    columns: z.int().min(2).max(6).optional(),
  }),
  ({ direction, gap, justify, columns }, { children }, _, inside) => {
    const placed = `${gap === undefined ? '' : ` gap-${gap}`}${justify === undefined ? '' : ` justify-${justify}`}`;
    const grid = direction === 'horizontal' && columns !== undefined ? ` columns-${columns}` : '';
    return html`<div class="${direction}${placed}${grid}">${renderAll(children, inside)}</div>`;
  },
);

const renderSeparator = drawing(
  z.object({ orientation: z.enum(['horizontal', 'vertical']).default('horizontal') }),
  ({ orientation }) =>
    orientation === 'horizontal' ? html`<hr>` : html`<span class="rule" aria-hidden="true"></span>`,
);

const DRAWINGS: ReadonlyMap<string, Draw> = new Map(
  Object.entries({
    badge: renderBadge,
    bar_chart: renderBars,
    button: renderButton,
    icon: drawing(
      z.object({ name: text, color, size: z.enum(['sm', 'md']).default('md') }),
      ({ name, color, size }) => html`${renderIcon(name, `${color} ${size}`)}`,
    ),
    image: renderImage,
    item: renderItem,
    item_group: renderGroup,
    progress: renderProgress,
    separator: renderSeparator,
    stack: renderStack,
    text: renderText,
  }),
);

function renderAll(ids: readonly string[], inside: Inside): Markup[] {
  return ids.map((id) => renderElement(id, inside));
}

/** Draws an element with what is in it; one that the sandbox cannot draw as its name. */
function renderElement(id: string, { depth, ...outside }: Inside): Markup {
  const element = outside.elements.get(id);
  if (element === undefined || depth > MAX_DEPTH) return html``;
  const drawn = DRAWINGS.get(element.type)?.(element, id, { ...outside, depth: depth + 1 }) ?? null;
  return drawn ?? html`<p class="unknown">${element.type}</p>`;
}

/** Draws a card in the layout of clients. Its buttons belong into a form. */
export function renderCard({ theme, effects, ui }: Card, place: CardPlace): Markup {
  const flakes = Array.from({ length: 16 }, () => html`<i></i>`);
  return html`<div class="snap accent-${theme.accent}">${effects.length === 0 ? '' : html`<div class="effect" aria-hidden="true">${flakes}</div>`}
${renderElement(ui.root, { ...place, elements: ui.elements, depth: 1 })}</div>`;
}

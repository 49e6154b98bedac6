/** The colors that an accent makes of a page in one color scheme, each as `#rrggbb`. */
export interface Shades {
  readonly accent: string;
  /** Of what is pointed at. */
  readonly strong: string;
  /** Of text on either. */
  readonly on: string;
  /** Of a bar beside one in the accent. */
  readonly faint: string;
}

/** The operator's color, for each color scheme. */
export interface Accent {
  readonly light: Shades;
  readonly dark: Shades;
}

type Rgb = readonly [red: number, green: number, blue: number];

/** The contrast that WCAG 2.2 demands of text. */
const LEAST_CONTRAST = 4.5;
const [BLACK, WHITE]: readonly [Rgb, Rgb] = [
  [0, 0, 0],
  [255, 255, 255],
];
/** As `style.css` has them: `ground` is the ground on which text has the least contrast, `on` the text on the accent. */
export const SCHEMES = {
  light: { ground: '#f0f0ed', on: '#ffffff' },
  dark: { ground: '#22262a', on: '#0c1820' },
} as const;
/** How much of black or white is added before a contrast is looked at again. */
const STEP = 0.05;

function parse(color: string): Rgb {
  const at = (place: number) => Number.parseInt(color.slice(place, place + 2), 16);
  return [at(1), at(3), at(5)];
}

function write(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function mix(color: Rgb, other: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => Math.round(color[index] * (1 - share) + other[index] * share);
  return [part(0), part(1), part(2)];
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(first: Rgb, second: Rgb): number {
  const [dark, light] = [luminance(first), luminance(second)].toSorted((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The contrast of two colors in the form `#rrggbb`, from 1 to 21. */
export function contrast(first: string, second: string): number {
  return contrastOf(parse(first), parse(second));
}

/** The color with as little of another as gives it enough contrast to the ground. */
function readable(color: Rgb, towards: Rgb, ground: Rgb): Rgb {
  let share = 0;
  let mixed = color;
  while (contrastOf(mixed, ground) < LEAST_CONTRAST && share < 1) {
    share = Math.min(1, share + STEP);
    mixed = mix(color, towards, share);
  }
  return mixed;
}

function shadesOf(accent: Rgb, strong: Rgb, { ground, on }: { ground: string; on: string }): Shades {
  return { accent: write(accent), strong: write(strong), on, faint: write(mix(accent, parse(ground), 0.6)) };
}

const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

function readColor(text: string): Rgb | null {
  if (!COLOR.test(text)) return null;
  return parse(text.length === 4 ? text.replace(/[0-9a-f]/gi, '$&$&') : text);
}

/** Why a text is no accent; null when it is one. */
export function accentProblem(text: string): string | null {
  const color = readColor(text);
  if (color === null) return 'must be a color such as #0b5d8c';
  const ground = parse(SCHEMES.light.ground);
  const found = contrastOf(color, ground);
  if (found >= LEAST_CONTRAST) return null;
  const shown = (Math.floor(found * 100) / 100).toFixed(2);
  const better = write(readable(color, BLACK, ground));
  return `must have a contrast of at least ${LEAST_CONTRAST} to the ground of pages, ${SCHEMES.light.ground}: it has ${shown}, and ${better} is dark enough`;
}

/** The shades of an accent without a problem. In dark pages it is mixed with white until it can be read there. */
export function readAccent(text: string): Accent {
  const color = readColor(text) ?? BLACK;
  const bright = readable(color, WHITE, parse(SCHEMES.dark.ground));
  return {
    light: shadesOf(color, mix(color, BLACK, 0.25), SCHEMES.light),
    dark: shadesOf(bright, mix(bright, WHITE, 0.3), SCHEMES.dark),
  };
}

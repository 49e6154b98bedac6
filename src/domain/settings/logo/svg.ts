/** Shapes and their paint. Nothing here runs, loads, links or repeats anything, or holds text. */
const ELEMENTS: ReadonlySet<string> = new Set([
  ...['svg', 'g', 'defs', 'path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon'],
  ...['linearGradient', 'radialGradient', 'stop', 'clipPath'],
]);
/** Left out with all that is in it, as are elements of other namespaces. */
const LEFT_OUT: ReadonlySet<string> = new Set(['title', 'desc', 'metadata']);

const PAINT: ReadonlySet<string> = new Set([
  ...['fill', 'fill-opacity', 'fill-rule', 'stroke', 'stroke-width', 'stroke-linecap', 'stroke-linejoin'],
  ...['stroke-miterlimit', 'stroke-opacity', 'stroke-dasharray', 'stroke-dashoffset', 'opacity', 'color', 'display'],
  ...['stop-color', 'stop-opacity', 'clip-path', 'clip-rule', 'paint-order', 'vector-effect', 'shape-rendering'],
]);
const ATTRIBUTES: ReadonlySet<string> = new Set([
  ...PAINT,
  ...['id', 'd', 'points', 'x', 'y', 'x1', 'y1', 'x2', 'y2', 'cx', 'cy', 'r', 'rx', 'ry', 'fx', 'fy', 'fr'],
  ...['width', 'height', 'viewBox', 'preserveAspectRatio', 'transform', 'offset'],
  ...['gradientUnits', 'gradientTransform', 'spreadMethod', 'clipPathUnits'],
]);
/** Of no use without what was left out. */
const IDLE = /^(?:xmlns|version|baseProfile|class|enable-background|role|(?:data|aria)-[\w-]+)$/;
const HREF = /^(?:xlink:)?href$/;

/** Neither quotes nor escapes, `:`, `/`, `&` or `<`: no such value names another place. */
const VALUE = /^[\w\s.,#%()+-]*$/;
const OWN_ID = /^#[\w.-]+$/;
/** Without white space around it: two runs of it would be tried against each other. */
const OWN_PAINT = /^url\(#[\w.-]+\)\s*(?:none|#[0-9a-f]{3,6})?$/i;

const MOST_DEPTH = 64;
const NAMESPACE = 'http://www.w3.org/2000/svg';
const REMEDY = 'export it as plain shapes';

const TOKEN =
  /<!--[\s\S]*?-->|<\?xml\s[^<>?]*\?>|<\/(?<closed>[\w:.-]+)\s*>|<(?<opened>[\w:.-]+)(?<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<empty>\/?)>|(?<text>[^<]+)/y;
/** As in {@link TOKEN}, whose attributes it takes apart. */
const ATTRIBUTE = /\s+([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gy;

type Attributes = ReadonlyMap<string, string>;

class Refused extends Error {}

function refuse(what: string): never {
  throw new Refused(`must be an SVG of shapes alone, and has ${what}: ${REMEDY}`);
}

function isOwn(value: string): boolean {
  return VALUE.test(value) && (!/url/i.test(value) || OWN_PAINT.test(value.trim()));
}

/** The declarations of a `style` as attributes, so that no page needs to allow inline styles. */
function declarations(style: string): [string, string][] {
  const parts = style.split(';').filter((part) => part.trim() !== '');
  return parts.map((part) => {
    const [name = '', ...value] = part.split(':');
    if (!PAINT.has(name.trim())) refuse(`the style ${JSON.stringify(name.trim().slice(0, 40))}`);
    return [name.trim(), value.join(':').trim()];
  });
}

function readAttribute(element: string, name: string, value: string): [string, string][] {
  if (HREF.test(name)) {
    if (!element.endsWith('Gradient') || !OWN_ID.test(value)) refuse(`a reference in <${element}>`);
    return [['href', value]];
  }
  if (name === 'style') return declarations(value).flatMap((pair) => readAttribute(element, ...pair));
  if (IDLE.test(name) || name.includes(':')) return [];
  if (!ATTRIBUTES.has(name)) refuse(`the attribute ${JSON.stringify(name.slice(0, 40))}`);
  if (!isOwn(value)) refuse(`a value of ${name} that is more than a number, a color or a shape`);
  return [[name, value]];
}

function readAttributes(element: string, text: string): Attributes {
  const found = [...text.matchAll(ATTRIBUTE)].map(
    ([, name = '', quoted, single]) => [name, quoted ?? single ?? ''] as const,
  );
  if (new Set(found.map(([name]) => name)).size < found.length) refuse(`an attribute of <${element}> twice`);
  // A style takes precedence over attributes.
  const ordered = found.toSorted(([a], [b]) => Number(a === 'style') - Number(b === 'style'));
  return new Map(ordered.flatMap((pair) => readAttribute(element, ...pair)));
}

function writeTag(element: string, attributes: Attributes): string {
  const written = [...attributes].map(([name, value]) => ` ${name}="${value}"`).join('');
  return `<${element}${element === 'svg' ? ` xmlns="${NAMESPACE}"` : ''}${written}>`;
}

/** Its `viewBox`, or its size in pixels. */
function ratioOf(root: Attributes): number {
  const size = (name: string) => Number(/^[0-9.]+(?=(?:px)?$)/.exec(root.get(name) ?? '')?.[0]);
  const box = root
    .get('viewBox')
    ?.trim()
    .split(/[\s,]+/)
    .map(Number) ?? [0, 0, size('width'), size('height')];
  const [, , width = 0, height = 0] = box;
  const ratio = width / height;
  return box.length === 4 && width > 0 && height > 0 && Number.isFinite(ratio) ? ratio : refuse('no viewBox');
}

/** Writes a document anew from what it may hold. */
function createWriter() {
  const written: string[] = [];
  const open: string[] = [];
  /** How deep the outermost element that is left out lies; null outside of it. */
  let leftOutAt: number | null = null;
  let root: Attributes | null = null;

  function close(element: string): void {
    if (open.pop() !== element) refuse('tags that do not match');
    if (leftOutAt === null) written.push(`</${element}>`);
    if (leftOutAt === open.length) leftOutAt = null;
  }

  function begin(element: string, text: string): void {
    if (leftOutAt !== null) return;
    if (open.length > 0 && (LEFT_OUT.has(element) || element.includes(':'))) {
      leftOutAt = open.length;
      return;
    }
    if (!ELEMENTS.has(element) || (element === 'svg') !== (open.length === 0) || (root !== null && open.length === 0))
      refuse(`the element <${element.slice(0, 40)}>`);
    const attributes = readAttributes(element, text);
    // One within another would be drawn once more for each shape in it.
    if (attributes.has('clip-path') && open.includes('clipPath')) refuse('a clip-path within a clipPath');
    root ??= attributes;
    written.push(writeTag(element, attributes));
  }

  return {
    take({ closed, opened, attributes = '', empty, text = '' }: Readonly<Record<string, string | undefined>>): void {
      if (leftOutAt === null && text.trim() !== '') refuse('text');
      if (closed !== undefined) close(closed);
      if (opened === undefined) return;
      if (open.length >= MOST_DEPTH) refuse('too many elements within each other');
      begin(opened, attributes);
      open.push(opened);
      if (empty === '/') close(opened);
    },
    end(): { text: string; ratio: number } {
      if (root === null || open.length > 0) refuse('no end');
      return { text: written.join(''), ratio: ratioOf(root) };
    },
  };
}

/**
 * The shapes of an SVG document alone; or what is wrong with it. The text is written from parts that are known, so that a browser
 * reads nothing else in it than this has read.
 */
export function cleanSvg(document: string): { text: string; ratio: number } | string {
  const text = document.replace(/^\ufeff/, '').trim();
  const writer = createWriter();
  TOKEN.lastIndex = 0;
  try {
    while (TOKEN.lastIndex < text.length) {
      const at = TOKEN.lastIndex;
      const token = TOKEN.exec(text);
      if (token === null) refuse(`something else at character ${at + 1}`);
      writer.take(token.groups ?? {});
    }
    return writer.end();
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

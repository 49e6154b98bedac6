import { cleanPng, isPng } from './png.ts';
import { cleanSvg } from './svg.ts';

/** The operator's picture, cleaned of all that no picture needs. */
export interface Logo {
  readonly type: 'image/png' | 'image/svg+xml';
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its width divided by its height. */
  readonly ratio: number;
}

/** The file of the logo cannot be used; the message says why, without the path. */
export class LogoUnusable extends Error {
  override readonly name = 'LogoUnusable';
}

/** The most bytes of a logo's file. */
export const MOST_LOGO_BYTES = 65_536;
/** A wider or taller one has no room in the head of a page. */
const [LEAST_RATIO, MOST_RATIO] = [0.2, 8];

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function readPicture(bytes: Uint8Array): Logo | string {
  if (isPng(bytes)) {
    const png = cleanPng(bytes);
    return typeof png === 'string' ? png : { type: 'image/png', ...png };
  }
  const text = decode(bytes);
  if (text === null || !/<svg[\s>]/.test(text)) return 'must be a PNG or an SVG file';
  const svg = cleanSvg(text);
  if (typeof svg === 'string') return svg;
  return { type: 'image/svg+xml', bytes: new Uint8Array(Buffer.from(svg.text)), ratio: svg.ratio };
}

/** A logo of a file's content. @throws LogoUnusable */
export function cleanLogo(content: Uint8Array): Logo {
  if (content.byteLength > MOST_LOGO_BYTES) throw new LogoUnusable(`must have at most ${MOST_LOGO_BYTES} bytes`);
  const logo = readPicture(content);
  if (typeof logo === 'string') throw new LogoUnusable(logo);
  if (logo.ratio < LEAST_RATIO || logo.ratio > MOST_RATIO)
    throw new LogoUnusable('must be at most 8 times as wide as it is high, and 5 times as high as it is wide');
  return logo;
}

import jsQR from 'jsqr';

const SCALE = 4;

/** What a reader finds in the first code of a page or an SVG: black modules on white. */
export function readQrCode(text: string): string | undefined {
  // A code has a label; other drawings of a page have none.
  const svg = /<svg [^>]*role="img".*?<\/svg>/s.exec(text)?.[0] ?? '';
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const width = size * SCALE;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, left, top] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let y = 0; y < SCALE; y += 1) {
      const start = ((Number(top) * SCALE + y) * width + Number(left) * SCALE) * 4;
      for (let x = 0; x < SCALE; x += 1) pixels.set([0, 0, 0, 255], start + x * 4);
    }
  }
  return jsQR.default(pixels, width, width, { inversionAttempts: 'dontInvert' })?.data;
}

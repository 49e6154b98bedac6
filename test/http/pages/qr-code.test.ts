import jsQR from 'jsqr';
import { expect, test } from 'vitest';
import { drawQrCode } from '../../../src/http/pages/qr-code.ts';

const SCALE = 4;

/** What a reader sees in the code: black modules on white. */
function read(svg: string): string | undefined {
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

test.each(['0x9abE26F34a33D0401D303C94e3fDd4da1b8D7C85', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'])(
  'behavior: a reader finds the address %s in its code',
  async (address) => {
    expect(read(String(await drawQrCode(address, 'The address')))).toBe(address);
  },
);

test('security: what the code is called cannot leave its attribute', async () => {
  expect(String(await drawQrCode('x', '"><script>&'))).toContain('aria-label="&quot;&gt;&lt;script&gt;&amp;"');
});

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { initWasm, Resvg } from '@resvg/resvg-wasm';

/**
 * A thread that converts SVG to PNG: a conversion takes a tenth of a second, and ending the thread frees the renderer's
 * memory.
 */
const FONTS = ['400Regular/Inter_400Regular.ttf', '600SemiBold/Inter_600SemiBold.ttf'];

const { resolve } = createRequire(import.meta.url);
const [wasm, ...fonts] = await Promise.all(
  ['@resvg/resvg-wasm/index_bg.wasm', ...FONTS.map((file) => `@expo-google-fonts/inter/${file}`)].map((name) =>
    readFile(resolve(name)),
  ),
);
await initWasm(wasm ?? new Uint8Array());

function render(svg: string): Uint8Array {
  const renderer = new Resvg(svg, { font: { fontBuffers: fonts, defaultFontFamily: 'Inter', loadSystemFonts: false } });
  try {
    const image = renderer.render();
    const png = image.asPng();
    image.free();
    return png;
  } finally {
    renderer.free();
  }
}

parentPort?.on('message', ({ id, svg }: { id: number; svg: string }) => {
  try {
    parentPort?.postMessage({ id, png: render(svg) });
  } catch (error) {
    parentPort?.postMessage({ id, problem: String(error) });
  }
});

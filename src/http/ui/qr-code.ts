import { html } from 'hono/html';
import type { Markup } from './layout.ts';

/**
 * A QR code as an SVG element: dark modules on a transparent background, with the quiet zone that readers need.
 * @param label the code's content, for screen readers
 */
export async function drawQrCode(text: string, label: string): Promise<Markup> {
  const { encode } = await import('uqr');
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const modules = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return await html`<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path d="${modules.join('')}"/></svg>`;
}

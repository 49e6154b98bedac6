import { html } from 'hono/html';
import { expect, test } from 'vitest';
import { renderTokenMark } from '../../../src/http/ui/amounts.ts';

const TOKEN = { chainId: 8453, address: '0x036cbd53842c5426634e7929541ec2318f3dcf7e' } as const;
const drawn = (token: { chainId: number; address: `0x${string}` }) =>
  String(renderTokenMark(token.chainId, token.address));

test('behavior: the same token looks the same, and another address or chain different', () => {
  expect(drawn(TOKEN)).toBe(drawn({ ...TOKEN }));
  expect(drawn(TOKEN)).not.toBe(drawn({ ...TOKEN, chainId: 10 }));
  expect(drawn(TOKEN)).not.toBe(drawn({ ...TOKEN, address: '0x136cbd53842c5426634e7929541ec2318f3dcf7e' }));
});

test('behavior: is the same read from the right, and is no content for a screen reader', () => {
  const cells = [...drawn(TOKEN).matchAll(/M(\d) (\d)h/g)].map(([, x, y]) => `${x} ${y}`);
  expect(cells.length).toBeGreaterThan(0);
  expect(cells.map((cell) => `${4 - Number(cell[0])}${cell.slice(1)}`).toSorted()).toEqual(cells.toSorted());
  expect(drawn(TOKEN)).toContain('aria-hidden="true"');
});

test('behavior: stands in a picture where it is placed', () => {
  expect(String(renderTokenMark(TOKEN.chainId, TOKEN.address, html`x="80" y="305" width="60" height="60"`))).toMatch(
    /^<svg x="80" y="305"/,
  );
});

import { expect, test } from 'vitest';
import { drawQrCode } from '../../../../src/http/ui/qr-code.ts';
import { readQrCode } from '../read-qr.ts';

test.each([
  '0x9abE26F34a33D0401D303C94e3fDd4da1b8D7C85',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  `ethereum:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed@8453/transfer?address=0x9abE26F34a33D0401D303C94e3fDd4da1b8D7C85&uint256=${2n ** 255n}`,
])('behavior: a reader finds %s in its code', async (address) => {
  expect(readQrCode(String(await drawQrCode(address, 'The address')))).toBe(address);
});

test('security: what the code is called cannot leave its attribute', async () => {
  expect(String(await drawQrCode('x', '"><script>&'))).toContain('aria-label="&quot;&gt;&lt;script&gt;&amp;"');
});

import { expect, onTestFinished, test } from 'vitest';
import { createWallets } from '../../src/chain/wallets.ts';
import { serveJsonRpc } from '../support/json-rpc.ts';
import { createPayer } from '../support/payer.ts';

// keccak256("Transfer(address,address,uint256)") and keccak256("Approval(address,address,uint256)").
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
const TOKEN = '0x00000000000000000000000000000000000000aa';
const SENDER = '0x00000000000000000000000000000000000000cc';
const HASH = `0x${'12'.repeat(32)}` as const;
const BLOCK_HASH = `0x${'34'.repeat(32)}`;
const call = { from: SENDER, token: { address: TOKEN, isNative: false }, to: '0xbb', amount: 100n } as const;
const wallets = createWallets('test test test test test test test test test test test junk');

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

function word(hex: string): string {
  return hex.padStart(64, '0');
}

const FROM = word('cc');
const TO = word('bb');
const OTHER = word('dd');
const SIXTY = word('3c');
const FORTY = word('28');

function log(topics: readonly string[], data: string, address: string = TOKEN): Log {
  return { address, topics: topics.map((topic) => (topic.startsWith('0x') ? topic : `0x${topic}`)), data: `0x${data}` };
}

/** Where a transaction with these logs landed, in block 16 of 16. */
async function landing(logs: readonly Log[], status = '0x1') {
  const receipt = {
    transactionHash: HASH,
    from: '0x00000000000000000000000000000000000000CC',
    blockHash: BLOCK_HASH,
    blockNumber: '0x10',
    status,
    gasUsed: '0x5208',
    effectiveGasPrice: '0x2',
    logs,
  };
  const server = await serveJsonRpc((method) => {
    if (method === 'eth_chainId') return { result: '0x7a69' };
    if (method === 'eth_blockNumber') return { result: '0x10' };
    if (method === 'eth_getTransactionReceipt') return { result: receipt };
    return { result: { number: '0x10', hash: BLOCK_HASH, baseFeePerGas: '0x1' } };
  });
  onTestFinished(server.close);
  return await createPayer({ url: server.url, wallets }).writer.inclusion({ hashes: [HASH], call });
}

test('behavior: the cost is the gas that was used at the price that was paid', async () => {
  expect(await landing([log([TRANSFER, FROM, TO], SIXTY)])).toEqual({
    hash: HASH,
    blockNumber: 16n,
    final: true,
    succeeded: true,
    moved: 60n,
    gasSpent: 42_000n,
  });
});

test.each([
  {
    text: 'every transfer from the sender counts',
    logs: [log([TRANSFER, FROM, TO], SIXTY), log([TRANSFER, FROM, OTHER], FORTY)],
    moved: 100n,
  },
  {
    text: 'a transfer from another does not',
    logs: [log([TRANSFER, OTHER, FROM], SIXTY), log([TRANSFER, FROM, TO], FORTY)],
    moved: 40n,
  },
  {
    text: 'another token does not',
    logs: [log([TRANSFER, FROM, TO], SIXTY, '0x00000000000000000000000000000000000000ab')],
    moved: 0n,
  },
  { text: 'an approval does not', logs: [log([APPROVAL, FROM, TO], SIXTY)], moved: 0n },
  { text: 'an anonymous event does not', logs: [log([], SIXTY)], moved: 0n },
  { text: 'a transfer that indexes nothing counts', logs: [log([TRANSFER], FROM + TO + SIXTY)], moved: 60n },
  { text: 'a transfer that indexes its amount counts', logs: [log([TRANSFER, FROM, TO, SIXTY], '')], moved: 60n },
  {
    text: 'an address in upper case is the same',
    logs: [log([TRANSFER, FROM.toUpperCase(), TO], SIXTY, TOKEN.toUpperCase().replace('0X', '0x'))],
    moved: 60n,
  },
])('behavior: $text', async ({ logs, moved }) => {
  expect(await landing(logs)).toMatchObject({ moved });
});

test('behavior: events of a transaction that reverted do not count', async () => {
  expect(await landing([log([TRANSFER, FROM, TO], SIXTY)], '0x0')).toMatchObject({ moved: 0n });
});

test.each([
  { text: 'without an amount', logs: [log([TRANSFER, FROM, TO], '')] },
  { text: 'with half an amount', logs: [log([TRANSFER, FROM, TO], '3c')] },
  { text: 'with two amounts', logs: [log([TRANSFER, FROM, TO], SIXTY + FORTY)] },
])('security: a transfer $text is not taken for nothing', async ({ logs }) => {
  await expect(landing(logs)).rejects.toMatchObject({ name: 'AdapterError', retry: 'never', reason: 'bad_response' });
});

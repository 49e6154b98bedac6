import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeFunctionData, erc20Abi, getContractAddress, parseUnits } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { FUNDER, MNEMONIC, PEOPLE, TREASURY } from '../../sandbox/people.ts';
import { PAYER_CONTRACTS } from '../../src/chain/payer/contract/contracts.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { checksummed } from '../../src/domain/gigs/token.ts';
import { stepsOf } from '../support/document-steps.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The account that deploys, and hands out, the sandbox's tokens. */
const DEPLOYER = mnemonicToAccount(MNEMONIC, { addressIndex: 9 }).address;
/** A call of `transfer`, as it is sent to a token. */
const TRANSFER = /\b0xa9059cbb[0-9a-f]+/g;
/** DEGEN and USDC are deployed after the payer contracts, each by one transaction. */
const TOKENS = [0, 1].map((index) => {
  const nonce = BigInt(Object.keys(PAYER_CONTRACTS).length + index);
  return getContractAddress({ from: DEPLOYER, nonce });
});

test('behavior: the addresses in the walk-throughs are those of the sandbox', () => {
  const wallets = createWallets(MNEMONIC);
  const gigs = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => checksummed(wallets.gigAddress(id)));
  const known = new Set<string>([
    DEPLOYER,
    TREASURY,
    ...TOKENS,
    ...gigs,
    ...[...PEOPLE, FUNDER].map(({ address }) => address),
  ]);
  const documents = ['README.md', ...globSync('docs/{earning,first-gig,gig-end,sandbox}.md', { cwd: ROOT })];
  expect(documents).toHaveLength(5);
  for (const document of documents) {
    const named = readFileSync(join(ROOT, document), 'utf8').match(/\b0x[0-9a-fA-F]{40}\b/g) ?? [];
    expect([document, named.filter((address) => !known.has(address))]).toEqual([document, []]);
  }
  const [degen = '', usdc = ''] = TOKENS;
  expect([degen.slice(0, 10), usdc.slice(0, 10)]).toEqual(['0xb19b36b1', '0x8ce36160']);
});

test('behavior: the transfer in the answer of the first gig is what gig 8 of a fresh sandbox needs', () => {
  const args = [createWallets(MNEMONIC).gigAddress(8), parseUnits('1050', 18)] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  const named = readFileSync(join(ROOT, 'docs/first-gig.md'), 'utf8').match(TRANSFER) ?? [];
  expect(named).toEqual([data]);
});

test('security: no command of a document names a transfer, which would pay another gig than the reader’s', () => {
  const documents = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })];
  const steps = documents.flatMap((document) => stepsOf(readFileSync(join(ROOT, document), 'utf8')));
  expect(steps.length).toBeGreaterThan(50);
  expect(steps.filter(({ command }) => command.match(TRANSFER) !== null)).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Hex, keccak256, toHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { buildContracts } from '../../../../scripts/contracts.ts';
import { PAYER_CONTRACTS } from '../../../../src/chain/payer/contract/contracts.ts';
import { deployPayer, findPayer, stateOfCode } from '../../../../src/chain/payer/deploy/deploy.ts';
import type { Address } from '../../../../src/domain/gigs/token.ts';
import { anvilClients } from '../../../support/anvil.ts';
import { openAnvil } from '../../../support/proxies.ts';
import { openStage } from '../../../support/tip-payer.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const SOURCE = readFileSync(join(ROOT, 'contracts/TipPayer.sol'), 'utf8');
const { tipPayer, payBatch } = PAYER_CONTRACTS;

/** The opcodes of a program, without the bytes that they push. */
function opcodes(code: Hex): number[] {
  const bytes = Buffer.from(code.slice(2), 'hex');
  const found: number[] = [];
  for (let index = 0; index < bytes.length; index += 1) {
    const opcode = bytes[index] ?? 0;
    found.push(opcode);
    if (opcode >= 0x60 && opcode <= 0x7f) index += opcode - 0x5f;
  }
  return found;
}

describe('the committed contracts', () => {
  const built = buildContracts();

  test.each([...built.keys()])('behavior: %s is, byte for byte, what its source compiles to', (path) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(built.get(path));
  });

  test('behavior: the source has at most 120 lines and stands alone', () => {
    expect(SOURCE.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
    expect(SOURCE).not.toMatch(/^\s*import\b/m);
    expect(SOURCE).not.toMatch(/selfdestruct|delegatecall|owner/i);
  });

  test('behavior: the metadata name the compiler and the very source', () => {
    const metadata = JSON.parse(built.get('contracts/TipPayer.metadata.json') ?? '');
    expect(metadata.compiler.version).toMatch(/^0\.8\.37\+/);
    expect(metadata.settings.evmVersion).toBe('cancun');
    expect(metadata.sources['contracts/TipPayer.sol'].keccak256).toBe(keccak256(toHex(SOURCE)));
  });
});

describe('the deployed contracts', () => {
  test('security: their code delegates nowhere, and cannot create or destroy contracts', async () => {
    const stage = await openStage();
    for (const { address } of [tipPayer, payBatch]) {
      const found = opcodes((await stage.public.getCode({ address })) ?? '0x');
      // DELEGATECALL, CALLCODE, SELFDESTRUCT, CREATE, CREATE2.
      for (const forbidden of [0xf4, 0xf2, 0xff, 0xf0, 0xf5]) expect(found).not.toContain(forbidden);
      // CALL, to see that the opcodes are found.
      expect(found).toContain(0xf1);
    }
  });

  test('behavior: a second deployment does nothing, and the code has the committed hash', async () => {
    const stage = await openStage();
    const code = async (address: Address) => (await stage.public.getCode({ address })) ?? '0x';
    const sent: unknown[] = [];
    const chain = { code, send: async (transaction: unknown) => void sent.push(transaction) };
    expect(await deployPayer(chain)).toEqual([]);
    expect(sent).toEqual([]);
    expect(await findPayer(chain)).toEqual([
      { contract: tipPayer, state: 'deployed' },
      { contract: payBatch, state: 'deployed' },
    ]);
  });

  test('security: other code at the address is foreign, and nothing is sent there', async () => {
    const sent: unknown[] = [];
    const send = async (transaction: unknown) => void sent.push(transaction);
    const chain = { code: async () => '0x00' as const, send };
    await expect(deployPayer(chain)).rejects.toThrow(`the code at ${tipPayer.address} differs from TipPayer`);
    expect(sent).toEqual([]);
    expect(stateOfCode(tipPayer, '0x')).toBe('absent');
  });

  test('error: a chain without the deterministic deployer is refused by name', async () => {
    const chain = { code: async () => '0x' as const, send: async () => undefined };
    await expect(deployPayer(chain)).rejects.toThrow(
      'no deterministic deployer at 0x4e59b44847b379578588920ca78fbf26c0b4956c',
    );
  });

  /** A chain with the deployer alone. */
  const deployerAlone = async (address: Address): Promise<Hex> => (address.startsWith('0x4e59') ? '0x01' : '0x');

  test('behavior: a deployment that fails because another was faster is none', async () => {
    const stage = await openStage();
    let asked = 0;
    const code = async (address: Address): Promise<Hex> => {
      asked += 1;
      // Neither contract is there at the first look.
      return asked <= 2 ? '0x' : ((await stage.public.getCode({ address })) ?? '0x');
    };
    const reverted = async () => {
      throw new Error('reverted');
    };
    expect(await deployPayer({ code, send: reverted })).toEqual([tipPayer, payBatch]);
    await expect(deployPayer({ code: deployerAlone, send: reverted })).rejects.toThrow('reverted');
  });

  test('error: a deployment that left nothing is noticed', async () => {
    const deployment = deployPayer({ code: deployerAlone, send: async () => undefined });
    await expect(deployment).rejects.toThrow(/TipPayer was deployed, but .* absent/);
  });

  test('behavior: on a new chain both are deployed, in order', async () => {
    const node = await openAnvil();
    const stage = await openStage(node.url);
    const { public: reader } = anvilClients(node.url);
    for (const contract of [tipPayer, payBatch]) {
      const code = (await reader.getCode({ address: contract.address })) ?? '0x';
      expect(keccak256(code)).toBe(contract.codeHash);
    }
    expect(await stage.public.getBalance({ address: tipPayer.address })).toBe(0n);
  });
});

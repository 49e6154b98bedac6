import { setTimeout as sleep } from 'node:timers/promises';
import { keccak256 } from 'viem';
import type { LocalAccount } from 'viem/accounts';
import { formatAmount } from '../../../domain/amount.ts';
import type { Chain } from '../../../domain/chains/chain.ts';
import { AdapterError } from '../../../domain/errors.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import { offerBytes } from '../../evm/broadcast.ts';
import { findEventSpan } from '../../evm/events.ts';
import { feesOfNow } from '../../evm/fees.ts';
import { findReceipt } from '../../evm/inclusion.ts';
import { nonceCount } from '../../evm/nonces.ts';
import { gasSpent, type Receipt } from '../../evm/receipt.ts';
import { withMargin } from '../../evm/refusal.ts';
import { createEndpoint, type Endpoint, type EndpointOptions } from '../../rpc/endpoint.ts';
import { PAYER_CONTRACTS } from '../contract/contracts.ts';
import { TIPS_PAID_TOPIC } from '../contract/events.ts';
import { type ContractState, type DeploymentChain, deployPayer, findPayer, PayerDeploymentFailed } from './deploy.ts';

/** How long to wait for the block of a deployment unless said otherwise, and how long between two looks. */
const PATIENCE_MS = 180_000;
const PAUSE_MS = 500;

export interface PayerContractState {
  readonly name: string;
  readonly address: Address;
  readonly state: ContractState;
}

export interface PayerDeployed {
  /** The contracts that were not there before. */
  readonly deployed: readonly string[];
  /** Wei that it cost, publishing included. */
  readonly cost: bigint;
}

export interface PayerContracts {
  readonly chain: Chain;
  /** What is at each contract's address. Every failure is an AdapterError. */
  state(): Promise<PayerContractState[]>;
  /** How many blocks of events of these contracts the endpoint lists at once. */
  eventSpan(): Promise<bigint>;
  /**
   * Deploys what is missing by plain transactions of the account, one after the other; doing it again does nothing.
   * @throws PayerDeploymentFailed when the chain cannot have them, or the account cannot pay for them
   * @throws AdapterError when the endpoint fails, or transactions of the account wait already
   */
  deploy(account: LocalAccount): Promise<PayerDeployed>;
}

type Call = Parameters<DeploymentChain['send']>[0];

interface SenderOptions {
  readonly chain: Chain;
  readonly account: LocalAccount;
  readonly patienceMs: number;
}

async function included(
  endpoint: Endpoint,
  search: { hash: `0x${string}`; from: Address; chainKey: string; patienceMs: number },
): Promise<Receipt> {
  const { hash, from, chainKey, patienceMs } = search;
  for (let waited = 0; waited <= patienceMs; waited += PAUSE_MS) {
    const receipt = await endpoint.run((rpc) => findReceipt(rpc, { hashes: [hash], from, chainKey }));
    if (receipt !== null) return receipt;
    await sleep(PAUSE_MS);
  }
  const message = `chain ${chainKey}: transaction ${hash} was not mined in time; run the command again later`;
  throw new AdapterError({ retry: 'unknown', reason: 'timeout', message });
}

function createSender(endpoint: Endpoint, { chain, account, patienceMs }: SenderOptions) {
  const chainKey = chain.key;
  const from: Address = `0x${account.address.slice(2).toLowerCase()}`;
  const receipts: Receipt[] = [];

  const sign = (call: Call) =>
    endpoint.run(
      async (rpc) => {
        const [fees, nonce, pending, gas] = await Promise.all([
          feesOfNow(rpc, chain),
          nonceCount(rpc, { address: from, block: 'latest' }),
          nonceCount(rpc, { address: from, block: 'pending' }),
          rpc.quantity({ method: 'eth_estimateGas', params: [{ from, ...call }, 'latest'] }),
        ]);
        if (pending > nonce) {
          const message = `chain ${chainKey}: ${account.address} has transactions that are not mined yet; try again when they are`;
          throw new AdapterError({ retry: 'safe', reason: 'rejected', message });
        }
        const { maxFeePerGas, maxPriorityFeePerGas } = fees;
        const terms = { ...call, chainId: chain.id, nonce, gas: withMargin(gas), maxFeePerGas, maxPriorityFeePerGas };
        return await account.signTransaction({ ...terms, type: 'eip1559' });
      },
      { recheck: true },
    );

  /** Refuses what the account cannot pay for, before the first of several transactions is sent. */
  async function afford(calls: readonly Call[]): Promise<void> {
    const { balance, cost } = await endpoint.run(async (rpc) => {
      const [fees, held, ...gas] = await Promise.all([
        feesOfNow(rpc, chain),
        rpc.quantity({ method: 'eth_getBalance', params: [from, 'latest'] }),
        ...calls.map((call) => rpc.quantity({ method: 'eth_estimateGas', params: [{ from, ...call }, 'latest'] })),
      ]);
      return { balance: held, cost: gas.reduce((sum, each) => sum + withMargin(each), 0n) * fees.maxFeePerGas };
    });
    if (balance >= cost) return;
    const { decimals, symbol } = chain.nativeCurrency;
    const [held, needed, missing] = [balance, cost, cost - balance].map((wei) => formatAmount(wei, decimals));
    throw new PayerDeploymentFailed(
      `the gas tank holds ${held} ${symbol}, and deploying may cost ${needed} ${symbol} now${chain.isOpStack ? ', and publishing comes on top' : ''}: ` +
        `send at least ${missing} ${symbol} on ${chain.name} (chain id ${chain.id}) to ${account.address}`,
    );
  }

  return {
    afford,
    send: async (call: Call) => {
      const raw = await sign(call);
      await endpoint.run((rpc) => offerBytes(rpc, { raw, chainKey }));
      const receipt = await included(endpoint, { hash: keccak256(raw), from, chainKey, patienceMs });
      receipts.push(receipt);
      if (receipt.status === '0x1') return;
      const message = `chain ${chainKey}: transaction ${receipt.transactionHash} was reverted`;
      throw new AdapterError({ retry: 'never', reason: 'rejected', message });
    },
    cost: () => receipts.reduce((sum, receipt) => sum + gasSpent(receipt), 0n),
  };
}

interface DeploymentOptions extends EndpointOptions {
  /** How long to wait for the block of each transaction. */
  readonly patienceMs?: number;
}

/** The payer contracts of a chain behind one endpoint. Nothing is sent before the first call. */
export function createPayerContracts({ patienceMs = PATIENCE_MS, ...options }: DeploymentOptions): PayerContracts {
  const { chain } = options;
  const endpoint = createEndpoint(options);
  const code = (address: Address) =>
    endpoint.run((rpc) => rpc.data({ method: 'eth_getCode', params: [address, 'latest'] }));
  return {
    chain,
    state: async () =>
      (await findPayer({ code })).map(({ contract: { name, address }, state }) => ({ name, address, state })),
    eventSpan: async () => {
      const until = await endpoint.run((rpc) => rpc.quantity({ method: 'eth_blockNumber' }));
      const address = [PAYER_CONTRACTS.payBatch.address];
      return await findEventSpan(endpoint, { chainKey: chain.key, address, topics: [TIPS_PAID_TOPIC], until });
    },
    deploy: async (account) => {
      const { send, afford, cost } = createSender(endpoint, { chain, account, patienceMs });
      const deployed = await deployPayer({ code, send }, afford);
      return { deployed: deployed.map(({ name }) => name), cost: cost() };
    },
  };
}

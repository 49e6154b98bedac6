import type { Objection } from '../../src/domain/payments/payer-chain.ts';

/** How a node refuses signed bytes. */
export interface NodeRefusal {
  readonly node: string;
  readonly code: number;
  readonly message: string;
  /** What it objects to, as the service understands it. */
  readonly objection: Objection;
}

function of(node: string, objection: Objection, ...messages: readonly (string | readonly [number, string])[]) {
  return messages.map((each): NodeRefusal => {
    const [code, message] = typeof each === 'string' ? [-32_000, each] : each;
    return { node, code, message, objection };
  });
}

/** Every refusal of the nodes that run the supported chains, in their own words. */
export const NODE_REFUSALS: readonly NodeRefusal[] = [
  ...of(
    'geth',
    'too_large',
    'exceeds block gas limit',
    'transaction gas limit too high (cap: 16777216, tx: 18034021)',
    'oversized data: transaction size 163202, limit 131072',
    'gas limit reached',
    'tx fee (1.25 ether) exceeds the configured cap (1.00 ether)',
  ),
  ...of(
    'geth',
    'too_cheap',
    'transaction underpriced: tip needed 1000000000, tip permitted 1',
    'transaction underpriced: gas tip cap 0, minimum needed 1',
    'max fee per gas less than block base fee: address 0xab, maxFeePerGas: 1, baseFee: 7',
    'max priority fee per gas higher than max fee per gas',
    'replacement transaction underpriced',
    'txpool is full',
    'account limit exceeded',
  ),
  ...of(
    'geth',
    'not_now',
    'nonce too low: next nonce 5, tx nonce 4',
    'nonce too high: address 0xab, tx: 9 state: 4',
    'insufficient funds for gas * price + value: balance 1, tx cost 2, overshot 1',
    'future transaction tries to replace pending',
  ),
  ...of(
    'geth',
    'other',
    'intrinsic gas too low: gas 21000, minimum needed 46000',
    'insufficient gas for floor data gas cost: gas 100000, minimum needed 210000',
    'authority already reserved',
    'address already reserved',
    'in-flight transaction limit reached for delegated accounts',
    'transaction type not supported',
    'invalid sender',
    'authority nonce too low',
    'only replay-protected (EIP-155) transactions allowed over RPC',
    [-32_603, 'internal error'],
  ),
  ...of('erigon', 'too_large', 'gas limit is too high', 'RLPTooLong', 'rlp too long', 'oversized data'),
  ...of(
    'erigon',
    'too_cheap',
    'underpriced',
    'fee too low',
    'could not replace existing tx',
    'pending sub-pool is full',
  ),
  ...of('erigon', 'other', 'IntrinsicGas', 'EIP-7702 transaction with authority already reserved', 'GasUintOverflow'),
  ...of('erigon', 'not_now', 'insufficient funds'),
  ...of(
    'nethermind',
    'too_large',
    [-32_010, 'GasLimitExceeded, Gas limit: 30000000, gas limit of rejected tx: 31000000'],
    [-32_010, 'MaxTxSizeExceeded, Max tx size: 131072, tx size: 163202'],
    [-32_010, 'Invalid, TxGasLimitCapExceeded: Gas limit 18034021 exceeded cap of 16777216.'],
    [-32_010, 'transaction too large'],
  ),
  ...of(
    'nethermind',
    'too_cheap',
    [-32_010, 'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7'],
    [-32_010, 'FeeTooLowToCompete'],
    [-32_010, 'ReplacementNotAllowed'],
  ),
  ...of(
    'nethermind',
    'not_now',
    [-32_010, 'OldNonce, Current nonce: 5'],
    [-32_010, 'NonceGap, Future nonce. Expected 4'],
  ),
  ...of('nethermind', 'not_now', [-32_010, 'InsufficientFunds, Balance is 1 less than sending value + gas 2']),
  ...of(
    'nethermind',
    'other',
    [-32_010, 'DelegatorHasPendingTx'],
    [-32_010, 'NotSupportedTxType'],
    [-32_010, 'SenderIsContract'],
    [-32_010, 'Invalid, intrinsic gas too low'],
  ),
  ...of(
    'reth',
    'too_large',
    [-32_003, "transaction's gas limit 18034021 exceeds block's gas limit 16000000"],
    [-32_003, 'transaction gas limit (18034021) is greater than the cap (16777216)'],
    [-32_003, "transaction's size 163202 exceeds max_tx_input_bytes 131072"],
    [-32_003, 'oversized data: transaction size 163202, limit 131072'],
    [-32_003, 'input data too large'],
    [-32_003, 'tx fee (1.25 ether) exceeds the configured cap (1.00 ether)'],
  ),
  ...of(
    'reth',
    'too_cheap',
    'replacement transaction underpriced',
    'insufficient gas price to replace existing transaction',
    'transaction feeCap 1 below chain minimum',
    'transaction discarded outright due to pool size constraints',
    'max fee per gas less than block base fee',
  ),
  ...of('reth', 'not_now', 'nonce too low', 'transaction overdraws from account'),
  ...of('reth', 'other', 'gas floor (210000) exceeds the gas limit (100000)', 'no items in authorization list'),
  ...of(
    'besu',
    'too_large',
    [-32_005, 'Transaction gas limit exceeds block gas limit'],
    [-32_000, 'Transaction gas limit must be at most 16777216'],
    [-32_000, 'Transaction fee cap exceeded'],
  ),
  ...of(
    'besu',
    'too_cheap',
    [-32_009, 'Gas price below configured minimum gas price'],
    [-32_009, 'Gas price below current base fee'],
    [-32_000, 'Max priority fee per gas exceeds max fee per gas'],
  ),
  ...of(
    'besu',
    'not_now',
    [-32_001, 'Nonce too low'],
    [-32_004, 'Upfront cost exceeds account balance'],
    [-32_000, 'Transaction nonce is too distant from current sender nonce'],
  ),
  ...of(
    'besu',
    'other',
    [-32_003, 'Intrinsic gas exceeds gas limit'],
    [-32_602, 'Invalid transaction type'],
    [-32_007, 'Sender account not authorized to send transactions'],
    [-32_000, 'Plugin has marked the transaction as invalid'],
  ),
  ...of('base', 'too_large', 'exceeds maximum per-transaction gas limit'),
  ...of('op-geth', 'not_now', 'insufficient funds for gas * price + value + L1 fee: have 1, want 2'),
  ...of('op-geth', 'other', 'transaction conditional rejected'),
  ...of('arbitrum', 'too_large', 'oversized data', 'exceeds max gas limit of 32000000'),
  ...of('arbitrum', 'not_now', 'nonce too low: address 0xab, tx: 4 state: 5'),
  ...of('arbitrum', 'too_cheap', 'max fee per gas less than block base fee: address 0xab, maxFeePerGas: 1 baseFee: 7'),
  ...of('arbitrum', 'other', 'expected surplus is too low'),
  ...of('bor', 'too_cheap', 'transaction underpriced: gas tip cap 1, minimum needed 25000000000'),
  ...of('anvil', 'too_large', [-32_003, 'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit']),
  ...of('anvil', 'other', [-32_003, 'intrinsic gas too low -- CallGasCostMoreThanGasLimit']),
  ...of('a gateway', 'too_large', [413, 'request body too large']),
  ...of('a node that nobody knows', 'other', 'the mood is bad'),
];

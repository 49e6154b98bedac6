// Made from sandbox/owners/registries.sol by `npm run contracts:build`. A test compiles again and compares.

export const ID_REGISTRY_STAND_IN = {
  abi: [
    {"inputs":[{"internalType":"address","name":"","type":"address"}],"name":"idOf","outputs":[{"internalType":"uint256","name":"","type":"uint256"}],"stateMutability":"view","type":"function"},
    {"inputs":[{"internalType":"address","name":"custody","type":"address"},{"internalType":"uint256","name":"fid","type":"uint256"}],"name":"set","outputs":[],"stateMutability":"nonpayable","type":"function"},
  ],
  /** The code as it stands on a chain. */
  runtime: '0x60806040526004361015610011575f80fd5b5f3560e01c80633825d828146100955763d94fe8321461002f575f80fd5b346100915760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100915773ffffffffffffffffffffffffffffffffffffffff61007b6100f4565b165f525f602052602060405f2054604051908152f35b5f80fd5b346100915760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100915773ffffffffffffffffffffffffffffffffffffffff6100e16100f4565b165f525f60205260243560405f20555f80f35b6004359073ffffffffffffffffffffffffffffffffffffffff821682036100915756',
} as const;

export const KEY_REGISTRY_STAND_IN = {
  abi: [
    {"inputs":[{"internalType":"uint256","name":"fid","type":"uint256"},{"internalType":"bytes","name":"key","type":"bytes"}],"name":"keyDataOf","outputs":[{"components":[{"internalType":"uint8","name":"state","type":"uint8"},{"internalType":"uint32","name":"keyType","type":"uint32"}],"internalType":"struct KeyRegistry.KeyData","name":"","type":"tuple"}],"stateMutability":"view","type":"function"},
    {"inputs":[{"internalType":"uint256","name":"fid","type":"uint256"},{"internalType":"bytes","name":"key","type":"bytes"},{"internalType":"uint8","name":"state","type":"uint8"},{"internalType":"uint32","name":"keyType","type":"uint32"}],"name":"set","outputs":[],"stateMutability":"nonpayable","type":"function"},
  ],
  /** The code as it stands on a chain. */
  runtime: '0x60806040526004361015610011575f80fd5b5f3560e01c806386ccca53146100e35763ac34cc5a1461002f575f80fd5b346100df5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100df5760243567ffffffffffffffff81116100df57602061008260409236906004016101c3565b91905f8261008e6101f1565b82815201526004355f525f8252835f20838551948593843782019081520301902063ffffffff6100bc6101f1565b915481602060ff831694858152019160081c168152835192835251166020820152f35b5f80fd5b346100df5760807ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100df5760243567ffffffffffffffff81116100df576101329036906004016101c3565b6044359160ff83168093036100df576064359163ffffffff83168093036100df57602060ff926101606101f1565b9586528186019485526004355f525f825260405f208360405194859384378201908152030190209251167fffffffffffffffffffffffffffffffffffffffffffffffffffffff000000000064ffffffff008454935160081b169216171790555f80f35b9181601f840112156100df5782359167ffffffffffffffff83116100df57602083818601950101116100df57565b604051906040820182811067ffffffffffffffff82111761021157604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd',
} as const;

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What the last call returned, cut after `most` bytes: a huge answer must not use up the caller's gas.
function answered(uint256 most) pure returns (bytes memory answer) {
    assembly ("memory-safe") {
        let size := returndatasize()
        if gt(size, most) { size := most }
        answer := mload(0x40)
        mstore(0x40, add(answer, add(most, 32)))
        mstore(answer, size)
        returndatacopy(add(answer, 32), 0, size)
    }
}

/// @title Pays each number of a gig's wallet once, ever
/// @notice A wallet delegates to this code (EIP-7702): `address(this)`, the money and the storage are the wallet's.
contract TipPayer layout at erc7201("gig.tips.paid") {
    struct Payment {
        address token; // an ERC-20, or NATIVE
        address to;
        uint256 amount; // base units
        uint256 word; // which word of marks holds the numbers: number >> 8
        uint256 bits; // the numbers that this pays: 1 << (number & 255) for each
    }

    error BadSignature();
    error NoNumbers();
    error AlreadyPaid(uint256 word, uint256 bits);
    error TransferFailed(address token, address to, bytes answer);
    event TipsPaid(address indexed to, address token, uint256 amount, uint256 word, uint256 bits);

    address constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    bytes32 constant DOMAIN = keccak256("EIP712Domain(uint256 chainId,address verifyingContract,bytes32 salt)");
    bytes32 constant PAY = keccak256("Pay(bytes payments)");
    uint256 immutable SALT = uint160(address(this)); // of the domain: a signature is for this code alone

    /// @notice The marks: the numbers of a word that were paid, a bit for each. Later code has to keep their place.
    mapping(uint256 word => uint256 bits) public paid;
    receive() external payable {}

    /// @notice Makes all payments or, whatever fails, none. Anyone may relay what the wallet's key has signed.
    /// @param r with `vs` the EIP-712 signature, compact by EIP-2098. A second form of it is worth nothing: not the
    /// signature but the marks keep a number from being paid twice.
    function pay(Payment[] calldata payments, bytes32 r, bytes32 vs) external {
        uint8 v = uint8(uint256(vs) >> 255) + 27;
        if (ecrecover(_digest(payments), v, r, (vs << 1) >> 1) != address(this)) revert BadSignature();
        for (uint256 i; i < payments.length; ++i) {
            Payment calldata p = payments[i];
            uint256 marked = paid[p.word];
            if (p.bits == 0) revert NoNumbers(); // nothing would keep it from being paid again
            if (marked & p.bits != 0) revert AlreadyPaid(p.word, marked & p.bits);
            paid[p.word] = marked | p.bits;
        }
        for (uint256 i; i < payments.length; ++i) {
            Payment calldata p = payments[i];
            if (!_transfer(p.token, p.to, p.amount)) revert TransferFailed(p.token, p.to, answered(256));
            emit TipsPaid(p.to, p.token, p.amount, p.word, p.bits);
        }
    }

    function _digest(Payment[] calldata payments) private view returns (bytes32) {
        bytes32 domain = keccak256(abi.encode(DOMAIN, block.chainid, address(this), SALT));
        bytes32 hash;
        assembly ("memory-safe") {
            let size := mul(payments.length, 160)
            calldatacopy(mload(0x40), payments.offset, size)
            hash := keccak256(mload(0x40), size)
        }
        return keccak256(abi.encodePacked(hex"1901", domain, keccak256(abi.encode(PAY, hash))));
    }

    function _transfer(address token, address to, uint256 amount) private returns (bool ok) {
        assembly ("memory-safe") {
            switch eq(token, NATIVE)
            case 1 { ok := call(gas(), to, amount, 0, 0, 0, 0) }
            default {
                let data := mload(0x40)
                mstore(data, shl(224, 0xa9059cbb)) // transfer(address,uint256)
                mstore(add(data, 4), to)
                mstore(add(data, 36), amount)
                ok := call(gas(), token, 0, data, 68, 0, 32)
                switch returndatasize()
                case 0 { ok := and(ok, gt(extcodesize(token), 0)) } // older tokens answer nothing
                default { ok := and(ok, and(gt(returndatasize(), 31), eq(mload(0), 1))) }
            }
        }
    }
}

/// @title Calls wallets one after the other in one transaction; those that fail take no other with them
contract PayBatch {
    struct Call {
        address wallet;
        uint256 gasLimit; // what the call may use; unless it gets all of it, the transaction reverts
        bytes data; // a call of TipPayer.pay
    }
    error NotDelegated(); // a call would do nothing, and succeed
    error NotEnoughGas(uint256 index);
    event PayFailed(address indexed wallet, uint256 index, bytes answer);
    bytes32 immutable DELEGATION;
    constructor(address payer) {
        DELEGATION = keccak256(abi.encodePacked(hex"ef0100", payer));
    }

    /// @return failed how many wallets failed; each has its PayFailed
    function payMany(Call[] calldata calls) external returns (uint256 failed) {
        for (uint256 i; i < calls.length; ++i) {
            (address to, uint256 limit, bytes memory data) = (calls[i].wallet, calls[i].gasLimit, calls[i].data);
            // EIP-150 keeps 1/64 of the gas from a call; to make one costs less than 12,000.
            if (gasleft() - gasleft() / 64 < limit + 12_000) revert NotEnoughGas(i);
            bool ok;
            if (to.codehash == DELEGATION) {
                assembly ("memory-safe") { ok := call(limit, to, 0, add(data, 32), mload(data), 0, 0) }
                if (!ok) emit PayFailed(to, i, answered(512));
            } else emit PayFailed(to, i, abi.encodePacked(NotDelegated.selector));
            if (!ok) ++failed;
        }
    }
}

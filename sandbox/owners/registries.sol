// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// What Farcaster's registry of ids answers about custody addresses.
contract IdRegistry {
    mapping(address => uint256) public idOf;

    function set(address custody, uint256 fid) external {
        idOf[custody] = fid;
    }
}

/// What Farcaster's registry of keys answers about auth addresses.
contract KeyRegistry {
    struct KeyData {
        uint8 state;
        uint32 keyType;
    }

    mapping(uint256 => mapping(bytes => KeyData)) private keys;

    function keyDataOf(uint256 fid, bytes calldata key) external view returns (KeyData memory) {
        return keys[fid][key];
    }

    function set(uint256 fid, bytes calldata key, uint8 state, uint32 keyType) external {
        keys[fid][key] = KeyData(state, keyType);
    }
}

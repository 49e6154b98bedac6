// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Says who is sanctioned, until a setting makes it odd.
contract ScreeningOracle {
    enum Way { Good, Reverts, Hangs, Garbage }

    Way public way;
    mapping(address account => bool) private listed;

    function setWay(Way way_) external {
        way = way_;
    }

    function list(address account, bool value) external {
        listed[account] = value;
    }

    function isSanctioned(address account) external view returns (bool) {
        if (way == Way.Reverts) revert("not today");
        if (way == Way.Hangs) while (true) {}
        if (way == Way.Garbage) {
            assembly {
                mstore(0, 2)
                return(0, 32)
            }
        }
        return listed[account];
    }
}

/// A feed of Chainlink's interface.
contract PriceFeed {
    uint8 public decimals = 8;
    int256 private answer;
    uint256 private updatedAt;
    bool private isBroken;

    function set(int256 answer_, uint256 updatedAt_) external {
        answer = answer_;
        updatedAt = updatedAt_;
    }

    function setDecimals(uint8 decimals_) external {
        decimals = decimals_;
    }

    function breakIt(bool value) external {
        isBroken = value;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        require(!isBroken, "no data present");
        return (1, answer, updatedAt, updatedAt, 1);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Balances and the event of an ERC-20; each token below differs from the standard in one thing.
abstract contract Ledger {
    mapping(address => uint256) public balanceOf;
    string public constant name = "Odd Token";
    string public constant symbol = "ODD";
    uint8 public constant decimals = 18;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        balanceOf[msg.sender] = type(uint128).max;
    }

    function move(address to, uint256 value) internal {
        require(balanceOf[msg.sender] >= value, "balance too low");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }
}

/// Refuses recipients that somebody has blocked, as USDC does, and reverts with a reason.
contract BlockingToken is Ledger {
    mapping(address => bool) public blocked;

    function setBlocked(address account, bool value) external {
        blocked[account] = value;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        require(!blocked[to], "recipient is blocked, ask @support at https://evil.example");
        move(to, value);
        return true;
    }
}

/// Answers false instead of reverting when the balance does not suffice, and, once it is paused, always.
contract FalseToken is Ledger {
    bool public paused;

    function setPaused(bool value) external {
        paused = value;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        if (paused || balanceOf[msg.sender] < value) return false;
        move(to, value);
        return true;
    }
}

/// Answers true and moves nothing once it is muted.
contract MuteToken is Ledger {
    bool public muted;

    function setMuted(bool value) external {
        muted = value;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        if (!muted) move(to, value);
        return true;
    }
}

/// Once it charges, keeps a tenth of every transfer for a collector.
contract FeeToken is Ledger {
    address public constant COLLECTOR = address(0xfee);
    bool public charging;

    function setCharging(bool value) external {
        charging = value;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        uint256 fee = charging ? value / 10 : 0;
        if (fee > 0) move(COLLECTOR, fee);
        move(to, value - fee);
        return true;
    }
}

/// Answers nothing, as USDT does.
contract SilentToken is Ledger {
    function transfer(address to, uint256 value) external {
        move(to, value);
    }
}

/// Reverts in the way that somebody has chosen.
contract RevertingToken is Ledger {
    error TransfersAreClosed(uint256 since);
    error EnforcedPause();

    enum Way {
        None,
        WithoutReason,
        UnknownError,
        KnownError,
        Overflow,
        Invalid
    }

    Way public way;

    function setWay(Way value) external {
        way = value;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        if (way == Way.WithoutReason) revert();
        if (way == Way.UnknownError) revert TransfersAreClosed(1);
        if (way == Way.KnownError) revert EnforcedPause();
        if (way == Way.Overflow) return type(uint256).max + value > 0;
        if (way == Way.Invalid) assembly { invalid() }
        move(to, value);
        return true;
    }
}

/// Takes the native asset only while its door is open.
contract Door {
    bool public closed;

    function setClosed(bool value) external {
        closed = value;
    }

    receive() external payable {
        require(!closed, "the door is closed");
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What both a token and a recipient may do instead of what they should.
abstract contract Caller {
    address public target;
    bytes public message;
    bool public reached;

    function setCall(address target_, bytes calldata message_) external {
        target = target_;
        message = message_;
    }

    function callBack() internal {
        if (target == address(0)) return;
        // Whatever comes of it is swallowed.
        (reached, ) = target.call(message);
    }

    function burn() internal pure {
        assembly ("memory-safe") {
            invalid()
        }
    }

    function bomb(bool succeed, uint256 size) internal pure {
        assembly {
            mstore(0, 1)
            if succeed {
                return(0, size)
            }
            revert(0, size)
        }
    }

    function answer(uint256 word, uint256 size) internal pure {
        assembly {
            mstore(0, word)
            return(0, size)
        }
    }
}

/// A token that does one of the things that tokens do.
contract HostileToken is Caller {
    enum Way {
        Good,
        Silent,
        False,
        Two,
        Short,
        Reason,
        Bare,
        Burn,
        RevertBomb,
        ReturnBomb,
        Reenter,
        ChargeFee,
        Swallow,
        BurnOnChain,
        RevertOnChain
    }

    mapping(address => uint256) public balanceOf;
    Way public way;
    event Transfer(address indexed from, address indexed to, uint256 value);

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function setWay(Way way_) external {
        way = way_;
    }

    function move(address from, address to, uint256 value) public {
        require(balanceOf[from] >= value, "balance too low");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function transfer(address to, uint256 value) external {
        if (way == Way.False) answer(0, 32);
        if (way == Way.Reason) revert("not today");
        if (way == Way.Bare) bomb(false, 0);
        if (way == Way.Burn) burn();
        if (way == Way.RevertBomb) bomb(false, 1_000_000);
        if (way == Way.Reenter) callBack();
        // A simulation names no price.
        if (way == Way.BurnOnChain && tx.gasprice > 0) burn();
        if (way == Way.RevertOnChain && tx.gasprice > 0) revert("not today");
        if (way == Way.Swallow) {
            // Says honestly whether its own call did it, which had 63/64 of the gas.
            try this.move(msg.sender, to, value) {
                answer(1, 32);
            } catch {
                answer(0, 32);
            }
        }
        move(msg.sender, to, value);
        if (way == Way.ChargeFee) {
            balanceOf[to] -= value / 10;
        }
        if (way == Way.Silent) answer(0, 0);
        if (way == Way.Two) answer(2, 32);
        if (way == Way.Short) answer(1, 31);
        if (way == Way.ReturnBomb) bomb(true, 100_000);
        answer(1, 32);
    }
}

/// A recipient of native money that does one of the things that recipients do.
contract HostileRecipient is Caller {
    enum Way {
        Take,
        Refuse,
        Burn,
        RevertBomb,
        ReturnBomb,
        Reenter
    }

    Way public way;

    function setWay(Way way_) external {
        way = way_;
    }

    receive() external payable {
        if (way == Way.Refuse) revert("no, thanks");
        if (way == Way.Burn) burn();
        if (way == Way.RevertBomb) bomb(false, 1_000_000);
        if (way == Way.ReturnBomb) bomb(true, 100_000);
        if (way == Way.Reenter) callBack();
    }
}

/// What a wallet could delegate to later: it answers 7 to everything.
contract OtherDelegate {
    fallback() external payable {
        assembly {
            mstore(0, 7)
            return(0, 32)
        }
    }
}

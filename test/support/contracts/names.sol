// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Stands for ENS's universal resolver with the registry and the resolvers behind it, as EIP-3668 and ENSIP-9 have them.
contract Names {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);
    error ResolverNotFound(bytes name);

    struct Query { address sender; string[] urls; bytes data; }

    enum Way { Kept, Offchain, Batched, Endless, Reverts, Burns, Garbage, Long, Foreign, Empty }

    mapping(bytes32 node => mapping(uint256 coin => bytes)) private kept;
    mapping(bytes32 node => Way) private ways;
    mapping(bytes32 node => string[]) private places;

    function setAddress(bytes32 node, uint256 coin, bytes calldata value) external {
        kept[node][coin] = value;
    }

    function setWay(bytes32 node, Way way, string[] calldata urls) external {
        ways[node] = way;
        delete places[node];
        for (uint256 i = 0; i < urls.length; i++) places[node].push(urls[i]);
    }

    function resolveWithGateways(bytes calldata name, bytes calldata data, string[] calldata gateways)
        external
        view
        returns (bytes memory, address)
    {
        bytes32 node = bytes32(data[4:36]);
        Way way = ways[node];
        if (way == Way.Reverts) revert("not today");
        if (way == Way.Burns) while (true) {}
        if (way == Way.Garbage) assembly { mstore(0, 7) return(0, 32) }
        if (way == Way.Long) assembly { return(0, 3000000) }
        if (way == Way.Foreign) revert OffchainLookup(address(1), places[node], data, this.answer.selector, data);
        if (way == Way.Endless) revert OffchainLookup(address(this), places[node], data, this.again.selector, data);
        if (way == Way.Empty) this.nothing("", data);
        if (way == Way.Offchain) revert OffchainLookup(address(this), places[node], data, this.answer.selector, data);
        if (way == Way.Batched) {
            Query[] memory queries = new Query[](1);
            queries[0] = Query(address(this), places[node], data);
            bytes memory asked = abi.encodeWithSignature("query((address,string[],bytes)[])", queries);
            revert OffchainLookup(address(this), gateways, asked, this.answers.selector, data);
        }
        return (read(node, data, name), address(this));
    }

    function read(bytes32 node, bytes calldata data, bytes calldata name) private view returns (bytes memory) {
        bool hasCoin = data.length > 36;
        bytes memory value = kept[node][hasCoin ? uint256(bytes32(data[36:68])) : 60];
        if (value.length == 0 && !hasCoin) revert ResolverNotFound(name);
        return hasCoin ? abi.encode(value) : abi.encode(address(bytes20(value)));
    }

    function answer(bytes calldata response, bytes calldata) external view returns (bytes memory, address) {
        return (response, address(this));
    }

    function answers(bytes calldata response, bytes calldata) external view returns (bytes memory, address) {
        (bool[] memory failures, bytes[] memory responses) = abi.decode(response, (bool[], bytes[]));
        if (failures[0]) revert("the gateway failed");
        return (responses[0], address(this));
    }

    function again(bytes calldata, bytes calldata data) external view returns (bytes memory, address) {
        revert OffchainLookup(address(this), places[bytes32(data[4:36])], data, this.again.selector, data);
    }

    /// Asks for no server's answer, without end.
    function nothing(bytes calldata, bytes calldata data) external view returns (bytes memory, address) {
        bytes memory asked = abi.encodeWithSignature("query((address,string[],bytes)[])", new Query[](0));
        revert OffchainLookup(address(this), places[bytes32(data[4:36])], asked, this.nothing.selector, data);
    }
}

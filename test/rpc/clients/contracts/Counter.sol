// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

/// @title A counter behind a proxy, which its owner can replace (ERC-1967, ERC-1822).
contract Counter is Initializable, UUPSUpgradeable {
    address public owner;
    uint256 public count;

    error NotOwner(address caller);

    constructor() {
        _disableInitializers();
    }

    function initialize(address first) external initializer {
        owner = first;
    }

    function increment() external virtual {
        count += 1;
    }

    function version() external pure virtual returns (string memory) {
        return "one";
    }

    function _authorizeUpgrade(address) internal view override {
        if (msg.sender != owner) revert NotOwner(msg.sender);
    }
}

/// @title What takes the counter's place.
contract FasterCounter is Counter {
    function increment() external override {
        count += 10;
    }

    function version() external pure override returns (string memory) {
        return "two";
    }
}

/// @title OpenZeppelin's proxy, under a name of ours.
contract Proxy is ERC1967Proxy {
    constructor(address implementation, bytes memory data) ERC1967Proxy(implementation, data) {}
}

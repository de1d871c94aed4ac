// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// @title An ERC-721 that its owner mints.
contract Collectible is ERC721, Ownable {
    uint256 public count;

    constructor(address owner) ERC721("Test Collectible", "ITEM") Ownable(owner) {}

    function mint(address to) external onlyOwner returns (uint256 id) {
        id = ++count;
        _safeMint(to, id);
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title An ERC-20 as people make them: OpenZeppelin's, with permits (EIP-2612, so EIP-712 signatures).
contract Token is ERC20, ERC20Permit {
    constructor(address holder, uint256 supply) ERC20("Test Token", "TEST") ERC20Permit("Test Token") {
        _mint(holder, supply);
    }
}

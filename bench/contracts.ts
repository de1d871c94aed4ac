/** The contracts that the EVM benchmark runs. */
import { compileSolidity } from "./solidity.ts";

const SOURCE = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title The smallest honest ERC-20: what the EVM benchmark transfers.
contract Erc20 {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address account => uint256 balance) public balanceOf;

    constructor(address holder, uint256 supply) {
        balanceOf[holder] = supply;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// @title Loops that each lean on one part of the EVM.
contract Loops {
    mapping(uint256 slot => uint256 value) private slots;

    function arithmetic(uint256 rounds) external pure returns (uint256 result) {
        unchecked {
            for (uint256 i = 1; i <= rounds; i++) result = (result * 31 + i) ^ (result >> 7);
        }
    }

    function store(uint256 rounds) external returns (uint256 result) {
        unchecked {
            for (uint256 i = 0; i < rounds; i++) {
                result += slots[i];
                slots[i] = result + i + 1;
            }
        }
    }

    function hash(uint256 rounds) external pure returns (bytes32 result) {
        for (uint256 i = 0; i < rounds; i++) result = keccak256(abi.encode(result, i));
    }
}
`;

/** Creation code by contract name. */
export async function compileContracts(): Promise<ReadonlyMap<string, Uint8Array>> {
  const contracts = await compileSolidity({ "bench.sol": SOURCE });
  return new Map([...contracts].map(([name, { code }]) => [name, code]));
}

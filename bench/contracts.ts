/** The contracts that the EVM benchmark runs, compiled with solc, a development dependency. */
import { type Hex, hexToBytes } from "../base/bytes.ts";

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<
    Record<string, Readonly<Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>>>
  >;
}

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
  const { default: solc } = await import("solc");
  const sources = { "bench.sol": { content: SOURCE } };
  const settings = {
    evmVersion: "cancun",
    optimizer: { enabled: true, runs: 200 },
    outputSelection: { "*": { "*": ["evm.bytecode.object"] } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify({ language: "Solidity", sources, settings }))) as SolcOutput;
  const problem = output.errors?.find(({ severity }) => severity === "error");
  if (problem !== undefined) throw new Error(problem.formattedMessage);
  const contracts = Object.values(output.contracts).flatMap((file) => Object.entries(file));
  return new Map(contracts.map(([name, { evm }]) => [name, hexToBytes(`0x${evm.bytecode.object}` as Hex)]));
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";

/// @title Says who signed: plain messages (EIP-191) and typed ones (EIP-712).
contract Notary is EIP712("Notary", "1") {
    bytes32 private constant ORDER = keccak256("Order(address buyer,uint256 amount,string note)");

    function signerOfMessage(string calldata text, bytes calldata signature) external pure returns (address) {
        return ECDSA.recover(MessageHashUtils.toEthSignedMessageHash(bytes(text)), signature);
    }

    function signerOfOrder(
        address buyer,
        uint256 amount,
        string calldata note,
        bytes calldata signature
    ) external view returns (address) {
        bytes32 order = keccak256(abi.encode(ORDER, buyer, amount, keccak256(bytes(note))));
        return ECDSA.recover(_hashTypedDataV4(order), signature);
    }
}

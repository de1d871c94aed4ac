// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Many calls in one: the function that libraries look for at Multicall3's address.
contract Multicall {
    struct Call {
        address target;
        bool allowFailure;
        bytes data;
    }

    struct Outcome {
        bool success;
        bytes output;
    }

    error CallFailed(uint256 index);

    function aggregate3(Call[] calldata calls) external payable returns (Outcome[] memory outcomes) {
        outcomes = new Outcome[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory output) = calls[i].target.call(calls[i].data);
            if (!success && !calls[i].allowFailure) revert CallFailed(i);
            outcomes[i] = Outcome(success, output);
        }
    }
}

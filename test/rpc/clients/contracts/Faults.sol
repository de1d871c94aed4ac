// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Every way in which a call ends badly.
contract Faults {
    error Rejected(address caller, uint256 code, string reason);

    uint256[] private values;

    function withText() external pure {
        revert("a reason in words");
    }

    function withError(uint256 code) external view {
        revert Rejected(msg.sender, code, unicode"für immer");
    }

    function withNothing() external pure {
        require(msg.data.length == 0);
    }

    function withAssert() external pure {
        assert(msg.data.length == 0);
    }

    function withOverflow(uint8 value) external pure returns (uint8) {
        return value + 255;
    }

    function withDivision(uint256 divisor) external pure returns (uint256) {
        return 1 / divisor;
    }

    function withIndex(uint256 index) external view returns (uint256) {
        return values[index];
    }

    function withInvalidOpcode() external pure {
        assembly {
            invalid()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {IStaking} from "../../../../vm/interfaces/IStaking.sol";
import {ITrustLock} from "../../../../vm/interfaces/ITrustLock.sol";

/// @title A contract that stakes and locks what its members send: a caller of the native modules.
contract Guild {
    IStaking public constant STAKING = IStaking(0x6f4750554d6F64756C6500000000000000000003);
    ITrustLock public constant TRUST_LOCK = ITrustLock(0x6f4750554D6F64756C6500000000000000000005);

    event Joined(address indexed member, uint256 staked, uint256 shares, uint256 locked);

    /// @notice Half of the value is bonded to the validator, the other half is locked as trust.
    function join(address operator) external payable returns (uint256 shares) {
        uint256 half = msg.value / 2;
        shares = STAKING.delegate{value: half}(operator);
        TRUST_LOCK.lock{value: msg.value - half}();
        emit Joined(msg.sender, half, shares, msg.value - half);
    }

    /// @notice The same, but a lock that is refused is no reason to fail.
    function joinOrStakeOnly(address operator) external payable returns (bytes4 refusal) {
        STAKING.delegate{value: msg.value / 2}(operator);
        try TRUST_LOCK.lock{value: msg.value / 2}() {
            refusal = 0;
        } catch (bytes memory reason) {
            refusal = bytes4(reason);
        }
    }

    function holdings(address operator) external view returns (uint256 staked, uint256 locked) {
        staked = STAKING.delegation(address(this), operator).amount;
        (locked, , , ) = TRUST_LOCK.accountOf(address(this));
    }
}

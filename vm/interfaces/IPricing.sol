// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Pricing: what compute costs now, for each tier of hardware
/// @notice Native module at 0x6f4750554d6f64756c650000000000000000000b. Each tier has a base price for a million compute
///         units. It moves as EIP-1559's base fee does: after each period (pricing.periodSeconds) by up to
///         pricing.maxChangeShare, up when the joined devices of the tier were busy for more than half of the time, down
///         when for less. Pool tasks pay it; auctions make prices of their own. Prices in wei, times protocol time in
///         seconds, shares in millionths.
interface IPricing {
    /// @notice A tier as it is now. `price` is for a million compute units. `devices` have joined sources; they were busy
    ///         for `busySeconds` of `deviceSeconds` since the period began. `utilisation` was that of the last period.
    struct Tier {
        uint8 tier;
        uint256 price;
        uint256 devices;
        uint256 busySeconds;
        uint256 deviceSeconds;
        uint256 periodStart;
        uint256 utilisation;
    }

    /// @notice There are tiers 0 to `most`.
    error BadTier(uint8 tier, uint8 most);
    /// @notice No program has more than `most` compute units.
    error TooMuch(uint256 computeUnits, uint256 most);

    /// @notice A period is over: a million compute units of the tier now cost `price`. `periods` have passed.
    event PriceChanged(uint8 indexed tier, uint256 price, uint256 utilisation, uint256 periods);

    /// @notice What `computeUnits` on devices of a tier cost now, rounded up; at least pricing.minCharge.
    function quote(uint8 tier, uint256 computeUnits) external view returns (uint256 price);

    /// @notice What a million compute units cost now.
    function priceOf(uint8 tier) external view returns (uint256 price);

    /// @notice The tier's price and how it comes about.
    function tierOf(uint8 tier) external view returns (Tier memory);

    /// @notice All tiers, in their order.
    function tiers() external view returns (Tier[] memory);
}

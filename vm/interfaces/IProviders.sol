// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Providers: who offers compute, with what, and how it has done so far
/// @notice Native module at 0x6f4750554d6f64756c6500000000000000000006. A provider puts up collateral and registers its
///         devices. The market reserves parts of the collateral for jobs and takes what a provider loses. Reputation is
///         written by the settlement of jobs alone. Times are protocol time in seconds, amounts wei.
interface IProviders {
    /// @notice `status`: 0 none, 1 active, 2 paused, 3 leaving. `available`: active, with at least the minimum of
    ///         collateral (free and reserved), so that it may get work. Only `leaving` has begun to leave; all three
    ///         amounts are liable.
    struct Provider {
        address account;
        uint8 status;
        bool available;
        string name;
        string endpoint;
        uint256 free;
        uint256 reserved;
        uint256 leaving;
        uint256 since;
        uint256 deviceCount;
    }

    /// @notice `kind`: 1 CPU, 2 CUDA. `tier`: compute tier from 0 to 15. `region`: short text, padded with zeros.
    ///         `capabilities`: a bit mask. `benchmark`: the digest of the benchmark's report. `available`: its
    ///         provider's.
    struct Device {
        address provider;
        uint64 id;
        uint8 kind;
        uint8 tier;
        uint64 memoryBytes;
        bytes16 region;
        uint256 capabilities;
        bytes32 benchmark;
        uint256 updated;
        bool available;
    }

    /// @notice Sums over settled jobs. `earned` and `lost` (of collateral) in wei, `busySeconds` of the work that earned
    ///         `computeUnits`.
    struct Reputation {
        uint256 accepted;
        uint256 rejected;
        uint256 late;
        uint256 computeUnits;
        uint256 busySeconds;
        uint256 earned;
        uint256 lost;
        uint256 lastSettled;
    }

    /// @notice The account is a provider already, or has not left entirely.
    error AlreadyRegistered(address account);
    /// @notice The account is no provider.
    error NotRegistered(address account);
    /// @notice The provider is leaving: all that is left is to withdraw.
    error IsLeaving(address account);
    /// @notice Only an active provider can pause.
    error NotActive(address account);
    /// @notice Only a paused provider can resume.
    error NotPaused(address account);
    /// @notice The provider gets no work now: it is not active, or its collateral is below the minimum.
    error NotAvailable(address account);
    /// @notice The call needs money and got none.
    error NothingSent();
    /// @notice The amount is zero.
    error ZeroAmount();
    /// @notice The collateral would be `amount`, less than `minimum`. To take everything, exit.
    error BelowMinimum(uint256 amount, uint256 minimum);
    /// @notice Only `free` is neither reserved nor leaving.
    error NotEnoughFree(uint256 free, uint256 wanted);
    /// @notice Only `leaving` is leaving.
    error NotEnoughLeaving(uint256 leaving, uint256 wanted);
    /// @notice Nothing can be withdrawn yet. `nextDue` is when something can, 0 if nothing is leaving.
    error NothingDue(uint256 nextDue);
    /// @notice A text has from `least` to `most` bytes of UTF-8.
    error BadText(uint256 bytesOfText, uint256 least, uint256 most);
    /// @notice A provider has at most `most` devices (providers.maxDevices).
    error TooManyDevices(uint256 most);
    /// @notice The provider has no such device.
    error NoDevice(address provider, uint64 id);
    /// @notice There is no such kind of device.
    error UnknownKind(uint8 kind);
    /// @notice Tiers are from 0 to `most`.
    error BadTier(uint8 tier, uint8 most);
    /// @notice A device has memory.
    error NoMemory();
    /// @notice A device is somewhere: its region is not empty.
    error NoRegion();
    /// @notice Devices are removed before their provider exits; `count` are left.
    error DevicesLeft(uint256 count);
    /// @notice A list gives at most `most` entries at a time.
    error TooMany(uint256 most);

    /// @notice A new provider, with its collateral.
    event Registered(address indexed provider, uint256 amount);
    /// @notice What the provider says of itself.
    event Described(address indexed provider, string name, string endpoint);
    /// @notice More collateral.
    event ToppedUp(address indexed provider, uint256 amount);
    /// @notice `amount` leaves and can be withdrawn at `due`.
    event WithdrawalRequested(address indexed provider, uint256 amount, uint256 due);
    /// @notice `amount` stays after all.
    event WithdrawalCancelled(address indexed provider, uint256 amount);
    /// @notice `amount` was paid to the provider.
    event Withdrawn(address indexed provider, uint256 amount);
    /// @notice It takes no work until it resumes.
    event Paused(address indexed provider);
    /// @notice It takes work again.
    event Resumed(address indexed provider);
    /// @notice It takes no work any more, and its collateral leaves.
    event ExitStarted(address indexed provider);
    /// @notice All its collateral is gone; the account may register again. Its reputation stays.
    event Exited(address indexed provider);
    /// @notice A new device.
    event DeviceAdded(
        address indexed provider,
        uint8 indexed tier,
        bytes16 indexed region,
        uint64 id,
        uint8 kind,
        uint64 memoryBytes,
        uint256 capabilities,
        bytes32 benchmark
    );
    /// @notice What the device is from now on.
    event DeviceUpdated(
        address indexed provider,
        uint8 indexed tier,
        bytes16 indexed region,
        uint64 id,
        uint8 kind,
        uint64 memoryBytes,
        uint256 capabilities,
        bytes32 benchmark
    );
    /// @notice The device is no more.
    event DeviceRemoved(address indexed provider, uint64 id);
    /// @notice The market has reserved collateral for a job.
    event Reserved(address indexed provider, uint256 amount);
    /// @notice The market has given reserved collateral back.
    event ReservationReleased(address indexed provider, uint256 amount);
    /// @notice The provider lost `amount` of its collateral to `to`, which shares it out.
    event Slashed(address indexed provider, address indexed to, uint256 amount, uint32 reason);
    /// @notice A job was settled. `outcome`: 1 accepted, 2 rejected, 3 late.
    event Settled(
        address indexed provider, uint8 indexed outcome, uint256 computeUnits, uint256 busySeconds, uint256 earned
    );

    /// @notice Makes the caller a provider, with the value sent as collateral: at least providers.minCollateral.
    /// @param name 1 to 64 bytes.
    /// @param endpoint Where its agent is reached; up to 256 bytes, may be empty.
    function register(string calldata name, string calldata endpoint) external payable;

    /// @notice Changes name and endpoint.
    function describe(string calldata name, string calldata endpoint) external;

    /// @notice Adds the value sent to the caller's collateral.
    function topUp() external payable;

    /// @notice Free collateral begins to leave and can be withdrawn after providers.exitSeconds; what stays is at least the
    ///         minimum. At most 16 withdrawals wait at a time: one more is added to the last of them, which then waits
    ///         for the later time.
    function requestWithdrawal(uint256 amount) external returns (uint256 due);

    /// @notice What leaves stays after all, the last of it first.
    function cancelWithdrawal(uint256 amount) external;

    /// @notice Pays the caller all that is due. The last withdrawal of a provider that leaves ends its registration.
    function withdraw() external returns (uint256 amount);

    /// @notice The caller takes no work until it resumes. Running jobs go on.
    function pause() external;

    /// @notice The caller takes work again.
    function resume() external;

    /// @notice The caller leaves, for good: it has removed its devices, takes no work, and all its collateral leaves with
    ///         the delay of a withdrawal; reserved collateral follows when its jobs are settled.
    function exit() external;

    /// @notice Adds a device; ids of removed ones are not used again.
    function addDevice(
        uint8 kind,
        uint64 memoryBytes,
        uint8 tier,
        bytes16 region,
        uint256 capabilities,
        bytes32 benchmark
    ) external returns (uint64 id);

    /// @notice Says anew what a device is.
    function updateDevice(
        uint64 id,
        uint8 kind,
        uint64 memoryBytes,
        uint8 tier,
        bytes16 region,
        uint256 capabilities,
        bytes32 benchmark
    ) external;

    /// @notice Removes a device of the caller.
    function removeDevice(uint64 id) external;

    /// @notice One provider; status 0 if the account is none.
    function providerOf(address account) external view returns (Provider memory);

    /// @notice What settled jobs say of the account. It outlives the registration.
    function reputationOf(address account) external view returns (Reputation memory);

    /// @notice What leaves the provider's collateral, in the order in which it can be withdrawn.
    function withdrawalsOf(address account) external view returns (uint256[] memory amounts, uint256[] memory dues);

    /// @notice How many providers there are, those that leave included.
    function providerCount() external view returns (uint256);

    /// @notice Providers, in no order that means anything. `limit` is at most 100.
    function providers(uint256 start, uint256 limit) external view returns (Provider[] memory);

    /// @notice One device. Reverts with NoDevice.
    function deviceOf(address account, uint64 id) external view returns (Device memory);

    /// @notice Devices of a provider, in no order that means anything. `limit` is at most 100.
    function devicesOf(address account, uint256 start, uint256 limit) external view returns (Device[] memory);

    /// @notice How many devices the tier has.
    function deviceCountOfTier(uint8 tier) external view returns (uint256);

    /// @notice Devices of a tier, those included whose provider is not available now. `limit` is at most 100.
    function devicesOfTier(uint8 tier, uint256 start, uint256 limit) external view returns (Device[] memory);

    /// @notice How many devices the tier has in the region.
    function deviceCountIn(uint8 tier, bytes16 region) external view returns (uint256);

    /// @notice Devices of a tier in a region, those included whose provider is not available now. `limit` is at most 100.
    function devicesIn(uint8 tier, bytes16 region, uint256 start, uint256 limit)
        external
        view
        returns (Device[] memory);

    /// @notice All collateral, of everybody. The module's balance is at least that.
    function totalCollateral() external view returns (uint256);
}

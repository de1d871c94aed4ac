// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {IMarket} from "../../vm/interfaces/IMarket.sol";

/// @title A contract that asks a model and acts on the verified answer
/// @notice The chain knows the answer by its content address. Whoever wants to use it shows the bytes, and `isAnswer` checks
///         them: the chain carries 32 bytes, however large a model's output is.
contract VerifiedModel {
    IMarket public constant MARKET = IMarket(0x6F4750554d6f64756C650000000000000000000D);
    /// @dev More than `onJobResult` below needs; what is not used is not paid.
    uint64 private constant CALLBACK_GAS = 150_000;

    uint256 public immutable source;
    mapping(uint256 job => address) public askedBy;
    mapping(uint256 job => bytes32) public answerOf;

    event Asked(uint256 indexed job, address indexed by, bytes32 input);
    event Answered(uint256 indexed job, bytes32 answer);
    event Unanswered(uint256 indexed job);

    error NotTheMarket();
    error NotAsked(uint256 job);
    error TooLong(uint256 length);

    constructor(uint256 source_) {
        source = source_;
    }

    /// @notice What a question costs now, with a tip of `tip` for whoever brings the answer here.
    function price(uint256 tip) external view returns (uint256) {
        (,, uint256 total, uint256 lock) = MARKET.quoteTask(source);
        return total + lock + tip;
    }

    /// @notice Asks. What was sent beyond the price comes back here, and is the next question's.
    /// @param input The content address of the input, which the asker keeps where providers find it.
    function ask(bytes32 input, uint256 tip) external payable returns (uint256 job) {
        bytes32[] memory inputs = new bytes32[](1);
        inputs[0] = input;
        job = MARKET.submitTask{value: msg.value}(
            source, inputs, IMarket.Callback({target: address(this), gas: CALLBACK_GAS, tip: tip})
        );
        askedBy[job] = msg.sender;
        emit Asked(job, msg.sender, input);
    }

    /// @notice The market calls this when the job is over, through whoever calls `deliver`.
    function onJobResult(uint256 job, bool accepted, bytes32[] calldata outputs) external {
        if (msg.sender != address(MARKET)) revert NotTheMarket();
        if (askedBy[job] == address(0)) revert NotAsked(job);
        if (!accepted || outputs.length == 0) {
            emit Unanswered(job);
            return;
        }
        answerOf[job] = outputs[0];
        emit Answered(job, outputs[0]);
    }

    /// @notice Whether these bytes are the answer.
    function isAnswer(uint256 job, bytes calldata contents) external view returns (bool) {
        return answerOf[job] != 0 && answerOf[job] == contentAddress(contents);
    }

    /// @notice The content address of at most 1 KiB (docs/spec/job-program.md): a tree of SHA-256 over 32 words of 32 bytes,
    ///         filled up with zeros, and then the length.
    function contentAddress(bytes calldata contents) public pure returns (bytes32) {
        if (contents.length > 1024) revert TooLong(contents.length);
        bytes32[32] memory words;
        for (uint256 i = 0; 32 * i < contents.length; i++) {
            uint256 end = 32 * i + 32 < contents.length ? 32 * i + 32 : contents.length;
            words[i] = bytes32(contents[32 * i:end]);
        }
        for (uint256 count = 16; count > 0; count /= 2) {
            for (uint256 i = 0; i < count; i++) words[i] = sha256(abi.encodePacked(words[2 * i], words[2 * i + 1]));
        }
        uint256 littleEndian = ((contents.length & 0xff) << 248) | ((contents.length >> 8) << 240);
        return sha256(abi.encodePacked(words[0], littleEndian));
    }

    receive() external payable {}
}

/** The names of opcodes, as the yellow paper and the EIPs have them. */
const NAMED: Readonly<Record<number, string>> = {
  0: "STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND",
  16: "LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ",
  32: "KECCAK256",
  48: "ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY CODESIZE CODECOPY GASPRICE EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH",
  64: "BLOCKHASH COINBASE TIMESTAMP NUMBER PREVRANDAO GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBHASH BLOBBASEFEE",
  80: "POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY PUSH0",
  160: "LOG0 LOG1 LOG2 LOG3 LOG4",
  240: "CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2",
  250: "STATICCALL",
  253: "REVERT INVALID SELFDESTRUCT",
};

const names: string[] = Array.from({ length: 256 }, (_, code) => `opcode 0x${code.toString(16)} not defined`);
for (const [first, row] of Object.entries(NAMED)) {
  for (const [index, name] of row.split(" ").entries()) names[Number(first) + index] = name;
}
for (let i = 1; i <= 32; i++) names[0x5f + i] = `PUSH${i}`;
for (let i = 1; i <= 16; i++) {
  names[0x7f + i] = `DUP${i}`;
  names[0x8f + i] = `SWAP${i}`;
}

export function opcodeName(code: number): string {
  return names[code] ?? "";
}

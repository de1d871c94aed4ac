/** Made by `npm run abi` from vm/interfaces/IAgenda.sol: change that, not this. */
export const agendaAbi = [
  {
    anonymous: false,
    inputs: [
      { indexed: true, internalType: "address", name: "module", type: "address" },
      { indexed: true, internalType: "uint256", name: "kind", type: "uint256" },
      { indexed: true, internalType: "uint256", name: "id", type: "uint256" },
      { indexed: false, internalType: "string", name: "reason", type: "string" },
    ],
    name: "Failed",
    type: "event",
  },
  {
    inputs: [],
    name: "count",
    outputs: [{ internalType: "uint256", name: "", type: "uint256" }],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [
      { internalType: "address", name: "module", type: "address" },
      { internalType: "uint256", name: "kind", type: "uint256" },
      { internalType: "uint256", name: "id", type: "uint256" },
    ],
    name: "dueOf",
    outputs: [
      { internalType: "uint256", name: "blockNumber", type: "uint256" },
      { internalType: "uint256", name: "time", type: "uint256" },
    ],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [],
    name: "nextDue",
    outputs: [
      { internalType: "uint256", name: "blockNumber", type: "uint256" },
      { internalType: "uint256", name: "time", type: "uint256" },
    ],
    stateMutability: "view",
    type: "function",
  },
] as const;

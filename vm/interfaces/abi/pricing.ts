/** Made by `npm run abi` from vm/interfaces/IPricing.sol: change that, not this. */
export const pricingAbi = [
  {
    inputs: [
      { internalType: "uint8", name: "tier", type: "uint8" },
      { internalType: "uint8", name: "most", type: "uint8" },
    ],
    name: "BadTier",
    type: "error",
  },
  {
    inputs: [
      { internalType: "uint256", name: "computeUnits", type: "uint256" },
      { internalType: "uint256", name: "most", type: "uint256" },
    ],
    name: "TooMuch",
    type: "error",
  },
  {
    anonymous: false,
    inputs: [
      { indexed: true, internalType: "uint8", name: "tier", type: "uint8" },
      { indexed: false, internalType: "uint256", name: "price", type: "uint256" },
      { indexed: false, internalType: "uint256", name: "utilisation", type: "uint256" },
      { indexed: false, internalType: "uint256", name: "periods", type: "uint256" },
    ],
    name: "PriceChanged",
    type: "event",
  },
  {
    inputs: [{ internalType: "uint8", name: "tier", type: "uint8" }],
    name: "priceOf",
    outputs: [{ internalType: "uint256", name: "price", type: "uint256" }],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [
      { internalType: "uint8", name: "tier", type: "uint8" },
      { internalType: "uint256", name: "computeUnits", type: "uint256" },
    ],
    name: "quote",
    outputs: [{ internalType: "uint256", name: "price", type: "uint256" }],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [{ internalType: "uint8", name: "tier", type: "uint8" }],
    name: "tierOf",
    outputs: [
      {
        components: [
          { internalType: "uint8", name: "tier", type: "uint8" },
          { internalType: "uint256", name: "price", type: "uint256" },
          { internalType: "uint256", name: "devices", type: "uint256" },
          { internalType: "uint256", name: "busySeconds", type: "uint256" },
          { internalType: "uint256", name: "deviceSeconds", type: "uint256" },
          { internalType: "uint256", name: "periodStart", type: "uint256" },
          { internalType: "uint256", name: "utilisation", type: "uint256" },
        ],
        internalType: "struct IPricing.Tier",
        name: "",
        type: "tuple",
      },
    ],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [],
    name: "tiers",
    outputs: [
      {
        components: [
          { internalType: "uint8", name: "tier", type: "uint8" },
          { internalType: "uint256", name: "price", type: "uint256" },
          { internalType: "uint256", name: "devices", type: "uint256" },
          { internalType: "uint256", name: "busySeconds", type: "uint256" },
          { internalType: "uint256", name: "deviceSeconds", type: "uint256" },
          { internalType: "uint256", name: "periodStart", type: "uint256" },
          { internalType: "uint256", name: "utilisation", type: "uint256" },
        ],
        internalType: "struct IPricing.Tier[]",
        name: "",
        type: "tuple[]",
      },
    ],
    stateMutability: "view",
    type: "function",
  },
] as const;

/**
 * Bounds on a kernel. They keep the time and memory of checking and compiling proportional to the text, whoever wrote
 * it: everything after the parser is at worst linear in blocks times registers.
 */

/** Characters of PTX text. The largest real kernels, fully unrolled, are around 500 kB. */
export const MAX_TEXT: number = 1 << 20;
/** Instructions of one kernel. */
export const MAX_INSTRUCTIONS: number = 32_768;
/** Targets of one jump table. */
export const MAX_JUMP_TARGETS: number = 1_024;
/** Targets of all jumps by tables in a kernel: one table may serve many of them, and each is an edge for the analyses. */
export const MAX_TABLE_EDGES: number = 32_768;
/** Device functions of a module, and calls within calls. */
export const MAX_FUNCTIONS: number = 1_024;
export const MAX_CALL_DEPTH: number = 64;
/**
 * Parts that the bodies of all calls of a kernel may have, each call and all within it counted: instructions, labels, targets
 * of jump tables, places for parameters. For any kernel, and for each part of the module's own text: a few lines that call
 * each other must not cost what a long text does, and bodies without instructions could be called without end.
 */
export const INLINED_FOR_ALL: number = 4_096;
export const INLINED_PER_PART: number = 16;
/** Basic blocks of one kernel. */
export const MAX_BLOCKS: number = 4_096;
/** Basic blocks times registers, which is what the analyses cost. */
export const MAX_ANALYSIS: number = 1 << 25;
/** Registers of one kernel, in all scopes. */
export const MAX_REGISTERS: number = 32_768;
/** Registers with those that lowering adds; engines for WebAssembly take 50,000 locals. */
export const MAX_LOWERED_REGISTERS: number = 48_000;
/** Kernel parameters. */
export const MAX_PARAMETERS: number = 64;
/** Bytes of all parameters of a kernel (what CUDA allows on every architecture). */
export const MAX_PARAMETER_BYTES: number = 4_096;
/** Variables of a module, and of a kernel. */
export const MAX_VARIABLES: number = 1_024;
/** Bytes of constant and initialised global variables of one module. */
export const MAX_CONSTANT_BYTES: number = 1 << 16;
/** Bytes of shared memory of one block (what every architecture from sm_75 has without opting in). */
export const MAX_SHARED_BYTES: number = 48 * 1024;
/** Bytes of local memory of one thread. */
export const MAX_LOCAL_BYTES: number = 16 * 1024;
/** Scopes within scopes. */
export const MAX_SCOPES: number = 64;
/** Threads of one block. */
export const MAX_THREADS: number = 1_024;
/** Instructions that the compiler may emit in all regions together; code after a barrier is compiled once per way in. */
export const MAX_EMITTED: number = 262_144;
/** For each of its instructions, and for any kernel: real kernels need twice as many at most, hostile ones the square. */
export const EMITTED_PER_INSTRUCTION: number = 4;
export const EMITTED_FOR_ALL: number = 4_096;
/**
 * Steps of finding what dominates what. Real kernels take a few for each jump; a graph that takes so many more is compiled
 * without nesting.
 */
export const MAX_DOMINATOR_STEPS: number = 1 << 22;
/**
 * Registers that the code writes to memory before waits and reads after them, in all regions together: for each instruction
 * of the kernel, and for any kernel. Real ones keep some tens at each wait; thousands at thousands of waits take minutes.
 */
export const KEPT_PER_INSTRUCTION: number = 16;
export const KEPT_FOR_ALL: number = 16_384;
/** Bytes of one WebAssembly function: the least that engines agree on is 7,654,321. */
export const MAX_FUNCTION_BYTES: number = 7_000_000;
/**
 * Steps of an analysis that goes around until nothing changes. Real kernels take a few for each block; hostile graphs of
 * jumps could take the product of all blocks and registers.
 */
export const MAX_ANALYSIS_STEPS: number = 1 << 26;

/** A kernel around a few lines of PTX: two buffers, `%a` (read) and `%b` (written), and the thread's number in `%t`. */
export function smallKernel(lines: string, declarations = ""): string {
  return `.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u32 n)
{
.reg .b32 %r<40>, %t, %n;
.reg .b64 %d<20>, %a, %b, %o;
.reg .b16 %h<8>;
.reg .pred %p<20>;
${declarations}
ld.param.u64 %a, [pa];
ld.param.u64 %b, [pb];
ld.param.u32 %n, [n];
mov.u32 %t, %tid.x;
mul.wide.u32 %o, %t, 4;
${lines}
ret;
}
`;
}

/** Puts `%r0` at the thread's place in `%b`. */
export const STORE_RESULT = "add.s64 %d10, %b, %o;\nst.global.u32 [%d10], %r0;";

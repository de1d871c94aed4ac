/** PTX with one kernel that every machine computes alike, and one that it cannot be told of. */
export const TWICE_PTX = `.version 8.0
.target sm_75
.address_size 64

.visible .entry twice(
	.param .u64 numbers,
	.param .u64 doubled
)
{
	.reg .b32 %r<6>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [numbers];
	ld.param.u64 %rd2, [doubled];
	cvta.to.global.u64 %rd3, %rd1;
	cvta.to.global.u64 %rd4, %rd2;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.s32 %r3, %r1, 64, %r2;
	mul.wide.u32 %rd5, %r3, 4;
	add.s64 %rd6, %rd3, %rd5;
	ld.global.u32 %r4, [%rd6];
	add.s32 %r5, %r4, %r4;
	add.s64 %rd7, %rd4, %rd5;
	st.global.u32 [%rd7], %r5;
	ret;
}

.visible .entry approximate(
	.param .u64 values
)
{
	.reg .f32 %f<3>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [values];
	cvta.to.global.u64 %rd2, %rd1;
	ld.global.f32 %f1, [%rd2];
	sin.approx.f32 %f2, %f1;
	st.global.f32 [%rd2], %f2;
	ret;
}
`;

/** Every instruction of registers alone, and kernels of them. */

/** %r: 32 bits, %d: 64 bits, %h: 16 bits, %p: predicate; d first, then sources. */
export type Form = readonly [instruction: string, operands: string];

export const INTEGER: readonly Form[] = [
  ...["add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"].flatMap((op): readonly Form[] => [
    ...["u32", "s32"].map((type): Form => [`${op}.${type}`, "rrr"]),
    ...["u64", "s64"].map((type): Form => [`${op}.${type}`, "ddd"]),
    ...["u16", "s16"].map((type): Form => [`${op}.${type}`, "hhh"]),
  ]),
  ...["mul.wide.u32", "mul.wide.s32"].map((op): Form => [op, "drr"]),
  ...["mul.wide.u16", "mul.wide.s16"].map((op): Form => [op, "rhh"]),
  ...["mad.lo.s32", "mad.hi.u32", "mad.hi.s32", "sad.u32", "sad.s32"].map((op): Form => [op, "rrrr"]),
  ...["mad.wide.s32", "mad.wide.u32"].map((op): Form => [op, "drrd"]),
  ...["mad.lo.u64", "mad.hi.s64", "sad.s64"].map((op): Form => [op, "dddd"]),
  ...["abs.s32", "neg.s32", "not.b32", "cnot.b32", "popc.b32", "clz.b32", "brev.b32"].map((op): Form => [op, "rr"]),
  ...["abs.s64", "neg.s64", "not.b64", "cnot.b64", "brev.b64"].map((op): Form => [op, "dd"]),
  ...["abs.s16", "neg.s16", "not.b16", "cnot.b16"].map((op): Form => [op, "hh"]),
  ...["popc.b64", "clz.b64", "bfind.u64", "bfind.s64", "bfind.shiftamt.s64"].map((op): Form => [op, "rd"]),
  ...["bfind.u32", "bfind.s32", "bfind.shiftamt.u32"].map((op): Form => [op, "rr"]),
  ...["and.b32", "or.b32", "xor.b32", "shl.b32", "shr.u32", "shr.s32"].map((op): Form => [op, "rrr"]),
  ...["and.b64", "or.b64", "xor.b64"].map((op): Form => [op, "ddd"]),
  ...["shl.b64", "shr.u64", "shr.s64", "shr.b64"].map((op): Form => [op, "ddr"]),
  ...["shl.b16", "shr.u16", "shr.s16"].map((op): Form => [op, "hhr"]),
  ...["bfe.u32", "bfe.s32"].map((op): Form => [op, "rrrr"]),
  ...["bfe.u64", "bfe.s64"].map((op): Form => [op, "ddrr"]),
  ["bfi.b32", "rrrrr"],
  ["bfi.b64", "dddrr"],
  ...["shf.l.wrap", "shf.r.wrap", "shf.l.clamp", "shf.r.clamp"].map((op): Form => [`${op}.b32`, "rrrr"]),
  ...["prmt.b32", "dp4a.s32.s32", "dp4a.u32.u32", "dp4a.s32.u32", "dp4a.u32.s32"].map((op): Form => [op, "rrrr"]),
];

export const FLOAT: readonly Form[] = ["f32", "f64"].flatMap((type): readonly Form[] => {
  const r = type === "f32" ? "r" : "d";
  return [
    ...["add.rn", "sub.rn", "mul.rn", "div.rn", "min", "max", "copysign"].map(
      (op): Form => [`${op}.${type}`, r.repeat(3)],
    ),
    ...["sqrt.rn", "rcp.rn", "neg", "abs"].map((op): Form => [`${op}.${type}`, r.repeat(2)]),
    [`fma.rn.${type}`, r.repeat(4)],
    ...(type === "f32" ? (["add.rz", "sub.rz", "mul.rz"] as const) : []).map((op): Form => [`${op}.f32`, "rrr"]),
    ...(type === "f32" ? (["fma.rz.f32"] as const) : []).map((op): Form => [op, "rrrr"]),
  ];
});

const LETTERS: Readonly<Record<string, string>> = { "16": "h", "32": "r", "64": "d" };

export const CONVERSIONS: readonly Form[] = (() => {
  const integers = ["u16", "s16", "u32", "s32", "u64", "s64"];
  const letter = (type: string): string => LETTERS[type.slice(1)] as string;
  const forms: Form[] = [];
  for (const to of integers) {
    for (const from of integers) if (from !== to) forms.push([`cvt.${to}.${from}`, letter(to) + letter(from)]);
    for (const from of integers) forms.push([`cvt.sat.${to}.${from}`, letter(to) + letter(from)]);
    for (const from of ["f32", "f64"]) {
      for (const mode of ["rni", "rzi", "rmi", "rpi"])
        forms.push([`cvt.${mode}.${to}.${from}`, letter(to) + letter(from)]);
      forms.push([`cvt.rn.${from}.${to}`, letter(from) + letter(to)]);
    }
  }
  for (const [to, from] of [["u8", "u32"] as const, ["s8", "s32"] as const, ["u8", "f32"] as const]) {
    forms.push([from === "f32" ? `cvt.rzi.${to}.${from}` : `cvt.${to}.${from}`, "rr"]);
  }
  for (const mode of ["rni", "rzi", "rmi", "rpi"]) {
    forms.push([`cvt.${mode}.f32.f32`, "rr"], [`cvt.${mode}.f64.f64`, "dd"]);
  }
  forms.push(["cvt.f64.f32", "dr"], ["cvt.rn.f32.f64", "rd"], ["cvt.f32.f16", "rh"], ["cvt.rn.f16.f32", "hr"]);
  return forms;
})();

export const COMPARISONS: readonly Form[] = [
  ...["eq", "ne", "lt", "le", "gt", "ge"].flatMap((mode): readonly Form[] => [
    ...["u32", "s32"].map((type): Form => [`setp.${mode}.${type}`, "prr"]),
    ...["u64", "s64"].map((type): Form => [`setp.${mode}.${type}`, "pdd"]),
    ...["u16", "s16"].map((type): Form => [`setp.${mode}.${type}`, "phh"]),
  ]),
  ...["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"].flatMap(
    (mode): readonly Form[] => [
      [`setp.${mode}.f32`, "prr"],
      [`setp.${mode}.f64`, "pdd"],
    ],
  ),
];

/** Registers 0 to 3 of each kind are loaded, results go to 4 and up, and all results are stored. */
export function kernelOf(forms: readonly Form[]): string {
  const lines: string[] = [];
  const stores: string[] = [];
  const letters = { r: "%r", d: "%d", h: "%h", p: "%p" } as const;
  for (let i = 0; i < 4; i++) {
    lines.push(`ld.global.b32 %r${i}, [%a+${4 * i}];`, `ld.global.b64 %d${i}, [%b+${8 * i}];`);
    lines.push(`ld.global.b16 %h${i}, [%a+${4 * i + 2}];`);
  }
  forms.forEach(([instruction, operands], index) => {
    const counts = { r: 0, d: 0, h: 0, p: 0 };
    const names = [...operands].map((letter, position) => {
      const kind = letter as keyof typeof letters;
      if (position === 0) return `${letters[kind]}${4 + index}`;
      return `${letters[kind]}${counts[kind]++ % 4}`;
    });
    lines.push(`${instruction} ${names.join(", ")};`);
    const result = names[0] as string;
    const place = `[%c+${8 * index}]`;
    if (operands[0] === "p") stores.push(`selp.b32 %t, 1, 2, ${result};`, `st.global.b32 ${place}, %t;`);
    else stores.push(`st.global.b${operands[0] === "d" ? 64 : operands[0] === "h" ? 16 : 32} ${place}, ${result};`);
  });
  const n = forms.length + 4;
  return `.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc) {
.reg .b32 %r<${n}>, %t, %x;
.reg .b64 %d<${n}>, %a, %b, %c, %o;
.reg .b16 %h<${n}>;
.reg .pred %p<${n}>;
ld.param.u64 %a, [pa];
ld.param.u64 %b, [pb];
ld.param.u64 %c, [pc];
mov.u32 %x, %tid.x;
mul.wide.u32 %o, %x, 16;
add.s64 %a, %a, %o;
mul.wide.u32 %o, %x, 32;
add.s64 %b, %b, %o;
mul.wide.u32 %o, %x, ${8 * forms.length};
add.s64 %c, %c, %o;
${[...lines, ...stores].join("\n")}
ret;
}`;
}

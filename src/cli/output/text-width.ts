const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const EMOJI = /\p{Emoji_Presentation}|\uFE0F/u

/** Ranges of code points that East Asian Width calls wide or fullwidth. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x11_00, 0x11_5f],
  [0x2e_80, 0x30_3e],
  [0x30_41, 0x33_ff],
  [0x34_00, 0x4d_bf],
  [0x4e_00, 0x9f_ff],
  [0xa0_00, 0xa4_cf],
  [0xa9_60, 0xa9_7f],
  [0xac_00, 0xd7_a3],
  [0xf9_00, 0xfa_ff],
  [0xfe_30, 0xfe_6f],
  [0xff_00, 0xff_60],
  [0xff_e0, 0xff_e6],
  [0x1_f2_00, 0x1_f2_ff],
  [0x2_00_00, 0x3_ff_fd],
]

/** The width of the text in terminal columns. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment)
  return width
}

function graphemeWidth(grapheme: string): number {
  if (ZERO_WIDTH.test(grapheme)) return 0
  const first = grapheme.codePointAt(0) ?? 0
  return EMOJI.test(grapheme) || WIDE.some(([from, to]) => first >= from && first <= to) ? 2 : 1
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}

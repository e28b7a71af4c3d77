export const TONES = ['bold', 'dim', 'red', 'green', 'yellow'] as const
export type Tone = (typeof TONES)[number]

const CODES: Readonly<Record<Tone, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
}

export type Style = (tone: Tone, text: string) => string

export const plain: Style = (_tone, text) => text

export const coloured: Style = (tone, text) => {
  const [on, off] = CODES[tone]
  return `\u001B[${on}m${text}\u001B[${off}m`
}

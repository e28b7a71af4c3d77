import type { Setting } from '#/config/setting.ts'

/** A text from the environment or a flag in the shape that a file would give it. The schema judges the result. */
export function fromText(setting: Setting, text: string): unknown {
  if (setting.about.fromText === 'list') return text.split(/[\s,]+/).filter((item) => item !== '')
  if (setting.about.fromText === 'integer' && /^\d{1,15}$/.test(text)) return Number(text)
  if (setting.about.fromText === 'number' && /^\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text)
  if (setting.about.fromText === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true'
  return text
}

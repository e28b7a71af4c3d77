import type { Setting } from '#/config/setting.ts'

/** Converts text from the environment or a flag to what a file would contain. The schema checks the result. */
export function fromText(setting: Setting, text: string): unknown {
  if (setting.about.fromText === 'list') return text.split(/[\s,]+/).filter((item) => item !== '')
  if (setting.about.fromText === 'integer' && /^\d{1,15}$/.test(text)) return Number(text)
  if (setting.about.fromText === 'number' && /^\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text)
  if (setting.about.fromText === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true'
  return text
}

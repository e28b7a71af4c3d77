import { PREFIX, settings } from '#/config/setting.ts'

/** The table of docs/configuration.md. */
export function settingsReference(): string {
  const rows = settings.map(({ path, variable, about, default: preset }) => {
    const variables = [variable, ...(about.variables ?? [])].map((name) => `\`${name}\``).join(', ')
    const text = about.secret === undefined ? about.description : `${about.description} (secret)`
    return `| \`${path}\` | ${text} | ${shownDefault(preset)} | ${variables} |\n`
  })
  return `| setting | what it is | default | ${PREFIX}… and others |\n| --- | --- | --- | --- |\n${rows.join('')}`
}

function shownDefault(preset: unknown): string {
  if (preset === undefined || (Array.isArray(preset) && preset.length === 0)) return ''
  return `\`${typeof preset === 'string' ? preset : JSON.stringify(preset)}\``
}

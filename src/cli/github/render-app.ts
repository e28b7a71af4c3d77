import { stringify } from 'yaml'
import type { CreatedApp } from '#/adapters/github/manifest/convert-manifest.ts'
import type { PageEnd } from '#/adapters/github/manifest/page-text.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import type { AppWish } from '#/core/github/app-manifest.ts'
import { installUrl } from '#/core/github/github-site.ts'
import type { GitHubSite } from '#/core/github/github-site.ts'
import { chartValues, configLines } from '#/core/github/setup-lines.ts'
import type { setupFlags } from './command.ts'
import { settingsOf } from './failures.ts'
import type { KeyPlace } from './read-wish.ts'

type Done = {
  readonly app: CreatedApp
  readonly wish: AppWish
  readonly site: GitHubSite
  readonly place: KeyPlace
}

/** Neither the key nor the secret: only where they are. */
export async function printApp(
  { terminal, flags }: Pick<CommandContext<typeof setupFlags>, 'terminal' | 'flags'>,
  { app, wish, site, place }: Done,
): Promise<void> {
  const { id, slug, name, page } = app
  const install = installUrl(page)
  const facts = { id, wish, site, hasWebhookSecret: app.webhookSecret !== null }
  const stored = place.kind === 'folder' ? place.folder : `Secret ${place.namespace}/${place.name}`
  const lines = place.kind === 'folder' ? configLines(facts, place.folder) : chartValues(facts, place.name)
  const into = place.kind === 'folder' ? 'signalbox.yaml' : "the chart's values"
  await printOutput(terminal, flags.output, {
    data: { app: { id, slug, name, page }, stored, install, configuration: lines },
    sections: [
      { text: printable(`The App ${name} (${id}) exists. Its key is in ${stored}.`) },
      { title: `Into ${into}`, text: stringify(lines, { lineWidth: 0 }).trimEnd() },
      { title: 'Install the App', text: printable(install) },
    ],
  })
  if (wish.webhookUrl !== null && app.webhookSecret === null) {
    terminal.notice(
      `GitHub made no webhook secret. Set one at ${settingsOf(site, wish)}/${slug}, and store the same: docs/webhooks.md.`,
    )
  }
  terminal.notice('Then, where signalbox serve runs: signalbox doctor')
}

export function shownEnd({ name, page }: CreatedApp): PageEnd {
  return {
    title: 'The App exists',
    text: `${name} is created, and its key is stored. Install it where the runners are, then close this page.`,
    link: { url: installUrl(page), label: 'Install the App' },
  }
}

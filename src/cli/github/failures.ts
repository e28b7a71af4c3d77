import type { Conversion, CreatedApp } from '#/adapters/github/manifest/convert-manifest.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { printable } from '#/cli/output/printable.ts'
import type { AppWish } from '#/core/github/app-manifest.ts'
import type { GitHubSite } from '#/core/github/github-site.ts'

type Owner = Pick<AppWish, 'organization'>

export function conversionFailure(
  conversion: Exclude<Conversion, { kind: 'created' }>,
  site: GitHubSite,
  owner: Owner,
): CommandFailure {
  const apps = `the App may exist without its key: delete it at ${settingsOf(site, owner)}, and run this again`
  switch (conversion.kind) {
    case 'unknown-code':
      return new CommandFailure(EXIT.failed, 'GitHub does not know the code: it was used, or is older than an hour', [
        apps,
        `GitHub was asked at ${site.api}: is it the one that the browser was sent to?`,
      ])
    case 'refused':
      return new CommandFailure(EXIT.failed, `GitHub refused the code with ${conversion.status}`, [apps])
    case 'malformed':
      return new CommandFailure(
        EXIT.failed,
        printable(`${site.api} answered, but not with an App: ${conversion.detail}`),
        [apps],
      )
    case 'blind':
      return new CommandFailure(EXIT.blind, printable(`cannot fetch the key: ${conversion.detail}`), [
        `check that this machine reaches ${site.api}, and the proxy (signalbox doctor)`,
        apps,
      ])
  }
}

export function storeFailure(
  { id, slug }: CreatedApp,
  why: string,
  { site, wish }: { readonly site: GitHubSite; readonly wish: Owner },
): CommandFailure {
  return new CommandFailure(EXIT.failed, `the App ${slug} (${id}) exists, but its key could not be stored: ${why}`, [
    `at ${settingsOf(site, wish)}/${slug}: generate a private key, and set a webhook secret of your own`,
    'or delete the App there, and run this again',
  ])
}

export function settingsOf({ web }: GitHubSite, { organization }: Owner): string {
  return organization === null ? `${web}/settings/apps` : `${web}/organizations/${organization}/settings/apps`
}

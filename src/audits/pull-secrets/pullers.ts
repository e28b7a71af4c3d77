import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { flagValue } from '#/core/fleet/controller.ts'
import type { FindingSubject } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { listPullSecrets } from './pull-failure.ts'

/** What pulls an image of the fleet: a scale set for its runners, a listener, a controller. */
export type Puller = {
  readonly role: 'runner' | 'listener' | 'controller'
  readonly subject: FindingSubject
  readonly namespace: string
  readonly images: readonly string[]
  /** The pull secrets that its pods get. */
  readonly secrets: readonly string[]
  /** False if its ServiceAccount could not be read and might add some. */
  readonly isCertain: boolean
}

export function listPullers(fleet: Fleet): readonly Puller[] {
  const accounts = readAccounts(fleet)
  return [
    ...listRunnerPullers(fleet, accounts),
    ...listListenerPullers(fleet),
    ...listControllerPullers(fleet, accounts),
  ]
}

type Accounts = (namespace: string, name: string) => readonly string[] | null

function readAccounts(fleet: Fleet): Accounts {
  const known = new Map(
    fleet
      .rows('serviceaccounts')
      .map((account) => [
        `${textAt(account, 'metadata', 'namespace')}/${textAt(account, 'metadata', 'name')}`,
        listPullSecrets(account),
      ]),
  )
  const isWhole = fleet.saw('kubernetes/serviceaccounts')
  return (namespace, name) => known.get(`${namespace}/${name}`) ?? (isWhole ? [] : null)
}

/** A pod without its own pull secrets gets those of its ServiceAccount. */
function effective(spec: Fields, namespace: string, accounts: Accounts): Pick<Puller, 'secrets' | 'isCertain'> {
  const own = listPullSecrets(spec)
  if (own.length > 0) return { secrets: own, isCertain: true }
  const inherited = accounts(namespace, textAt(spec, 'serviceAccountName') ?? 'default')
  return { secrets: inherited ?? [], isCertain: inherited !== null }
}

function listRunnerPullers(fleet: Fleet, accounts: Accounts): readonly Puller[] {
  return fleet.sets
    .filter(({ deletedAt }) => deletedAt === null)
    .map(({ kind, namespace, name, template }) => {
      const { secrets, isCertain } = effective(template, namespace, accounts)
      const subject = { kind, namespace, name }
      return { role: 'runner' as const, subject, namespace, images: listImages(template), secrets, isCertain }
    })
}

/** Listeners run under a ServiceAccount that ARC creates without pull secrets. */
function listListenerPullers(fleet: Fleet): readonly Puller[] {
  return fleet.listeners.map(({ kind, namespace, name, image, pullSecrets, raw }) => {
    const pod = fleet.podAt(namespace, name)
    const template = at(raw, 'spec', 'template', 'spec')
    return {
      role: 'listener' as const,
      subject: { kind, namespace, name },
      namespace,
      images: image === null ? [] : [image],
      secrets: [...new Set([...pullSecrets, ...listPullSecrets(template), ...listPullSecrets(pod?.spec)])],
      isCertain: true,
    }
  })
}

function listControllerPullers(fleet: Fleet, accounts: Accounts): readonly Puller[] {
  return fleet.controllers.map(({ namespace, name, args, raw }) => {
    const spec = toFields(at(raw, 'spec', 'template', 'spec'))
    const own = effective(spec, namespace, accounts)
    // The pull secrets for its listeners, even if none exists now.
    const forListeners = flagValue(args, 'auto-scaler-image-pull-secrets')?.split(',') ?? []
    return {
      role: 'controller' as const,
      subject: { kind: 'Deployment', namespace, name },
      namespace,
      images: listImages(spec),
      secrets: [...new Set([...own.secrets, ...forListeners])],
      isCertain: own.isCertain,
    }
  })
}

function listImages(spec: Fields): readonly string[] {
  return [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')].flatMap(
    (container) => textAt(container, 'image') ?? [],
  )
}

import type { CreatedApp } from '#/adapters/github/manifest/convert-manifest.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { printable } from '#/cli/output/printable.ts'
import { describeReason } from '#/core/basics/observed.ts'
import { KEY_FILE, SECRET_FILE } from '#/core/github/setup-lines.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Preconditions, WriteOutcome } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { checkFolder, writeFiles } from './key-files.ts'
import type { KeyPlace } from './read-wish.ts'

export type KeyStore = {
  /** Throws before anything is created at GitHub if the key could not be stored. */
  readonly check: (signal: AbortSignal) => Promise<void>
  /** Null when it is stored; else why not. */
  readonly store: (app: CreatedApp, signal: AbortSignal) => Promise<string | null>
}

type Means = { readonly kubernetes: KubernetesConnection | null; readonly force: boolean }

export function openKeyStore(place: KeyPlace, { kubernetes, force }: Means): KeyStore {
  if (place.kind === 'folder') {
    return {
      check: () => checkFolder(place.folder, [KEY_FILE, SECRET_FILE], force),
      store: (app) => writeFiles(place.folder, filesOf(app), force),
    }
  }
  if (kubernetes === null) {
    throw new CommandFailure(EXIT.usage, 'no cluster is configured', ['name one: --kubeconfig FILE'])
  }
  return secretStore(place, { kubernetes, force })
}

type SecretPlace = Extract<KeyPlace, { kind: 'secret' }>
type SecretMeans = Means & { readonly kubernetes: KubernetesConnection }

function secretStore(place: SecretPlace, { kubernetes, force }: SecretMeans): KeyStore {
  const { namespace, name } = place
  const resource = RESOURCES.secrets
  return {
    check: async (signal) => {
      const verb = force ? 'patch' : 'create'
      const may = await kubernetes.canI({ verb, resource, namespace }, signal)
      if (may.kind === 'blind') {
        throw new CommandFailure(EXIT.blind, `the cluster: ${printable(describeReason(may.reason))}`, [
          'check --kubeconfig and --context, or use --out DIR',
        ])
      }
      if (may.kind === 'seen' && !may.value.allowed) {
        throw new CommandFailure(EXIT.failed, `you may not ${verb} Secrets in ${namespace}`, [
          'use a kubeconfig that may, or --out DIR and create the Secret from the files',
        ])
      }
      // Who may create a Secret may often not read one; then only the creation shows that the name is taken.
      const found = await kubernetes.get({ resource, namespace, name }, signal)
      if (found.kind === 'seen' && !force) throw taken(namespace, name)
    },
    store: async (app, signal) => {
      const data = Object.fromEntries(
        Object.entries(filesOf(app)).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
      )
      const object = {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'Opaque',
        metadata: { name, namespace, labels: { 'app.kubernetes.io/name': 'signalbox' } },
        data,
      }
      const found = force ? await kubernetes.get({ resource, namespace, name }, signal) : null
      const created = found?.kind === 'seen' ? null : await kubernetes.create({ resource, namespace, object }, signal)
      if (created !== null && !(force && created.kind === 'conflict')) return whyNot(created)
      const preconditions = found?.kind === 'seen' ? { preconditions: versionOf(found.value) } : {}
      const patch = { kind: 'merge', changes: { data } } as const
      return whyNot(await kubernetes.patch({ resource, namespace, name, ...preconditions, patch }, signal))
    },
  }
}

function versionOf({ metadata: { uid, resourceVersion } }: KubeObject): Preconditions {
  return { uid, resourceVersion }
}

function taken(namespace: string, name: string): CommandFailure {
  return new CommandFailure(EXIT.usage, `the Secret ${namespace}/${name} exists already`, [
    'use another name, or --force to replace its key and webhook secret',
  ])
}

function filesOf({ privateKey, webhookSecret }: CreatedApp): Readonly<Record<string, string>> {
  return {
    [KEY_FILE]: privateKey.reveal(),
    ...(webhookSecret === null ? {} : { [SECRET_FILE]: webhookSecret.reveal() }),
  }
}

/** A server may quote what it refused. */
function whyNot(outcome: WriteOutcome): string | null {
  switch (outcome.kind) {
    case 'done':
      return null
    case 'gone':
      return 'the namespace does not exist'
    case 'conflict':
      return outcome.why === 'exists'
        ? 'a Secret of this name exists (--force replaces it)'
        : 'somebody else changed it'
    case 'forbidden':
    case 'refused':
      return printable(redact(outcome.message))
    case 'blind':
      return printable(redact(describeReason(outcome.reason)))
  }
}

import { keepOwnCertificate } from '#/adapters/certificate/own-certificate.ts'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import type { TlsConfig } from '#/config/tls-config.ts'
import type { Kubernetes, WriteOutcome } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Loop } from '#/runtime/lead/loop.ts'
import { AppFailure } from '#/app/part/failure.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'

type Means = Pick<PartMeans, 'config' | 'clock' | 'log'> & { readonly kubernetes: Pick<Kubernetes, 'patch'> | null }

const EVERY_MS = 60_000
/** Somebody may have emptied the ConfigMap. */
const PUBLISH_AGAIN_AFTER = 10
const LARGEST_BYTES = 256 * 1024

/** The server's own certificate, made before it listens and renewed while it runs, and its CA in the cluster for the agents. */
export async function openCertificate(means: Means): Promise<Part> {
  const { tls } = means.config
  if (tls === null) return { dispose: nothingToDispose }
  try {
    await renew(tls, means)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AppFailure('failed', `cannot keep the certificate in ${tls.own?.folder ?? ''}: ${why}`, [
      'make the data folder writable, or set tls.certFile and tls.keyFile',
    ])
  }
  if (tls.own === null && tls.caConfigMap === null) return { dispose: nothingToDispose }
  return { replicaLoops: [keepLoop(tls, means)], dispose: nothingToDispose }
}

/** The files are read again by whoever listens, without a restart. */
async function renew({ own }: TlsConfig, { clock, log }: Means): Promise<void> {
  if (own === null) return
  const { made } = await keepOwnCertificate(own.folder, own.names, clock.now())
  if (made === 'server') log.info('made a new certificate', { names: own.names.join(' ') })
  if (made === 'authority') log.info('made a new CA and certificate', { names: own.names.join(' ') })
}

function keepLoop(tls: TlsConfig, means: Means): Loop {
  let published = ''
  let runs = 0
  let lastFault: string | null = null
  const run = async (signal: AbortSignal): Promise<void> => {
    await renew(tls, means)
    if (tls.caConfigMap === null || tls.caFile === null) return
    const read = await readSmallFile(tls.caFile, LARGEST_BYTES)
    runs += 1
    if (read.kind === 'read' && read.text === published && runs % PUBLISH_AGAIN_AFTER !== 0) return
    const fault =
      read.kind === 'read' ? await publish(means, tls.caConfigMap, read.text, signal) : `cannot read ${tls.caFile}`
    if (fault === null && read.kind === 'read') published = read.text
    if (fault !== null && fault !== lastFault)
      means.log.error('cannot publish the CA: agents do not trust this server', {
        configMap: tls.caConfigMap,
        why: fault,
      })
    lastFault = fault
  }
  return { name: 'certificate', everyMs: EVERY_MS, run }
}

/** Null: done. */
async function publish(
  { kubernetes }: Means,
  place: string,
  authorities: string,
  signal: AbortSignal,
): Promise<string | null> {
  if (kubernetes === null) return 'no cluster is configured'
  const [namespace = '', name = ''] = place.split('/')
  const patch = { kind: 'merge', changes: { data: { 'ca.crt': authorities } } } as const
  return faultIn(await kubernetes.patch({ resource: RESOURCES.configMaps, namespace, name, patch }, signal))
}

function faultIn(outcome: WriteOutcome): string | null {
  switch (outcome.kind) {
    case 'done':
      return null
    case 'gone':
      return 'there is no such ConfigMap'
    case 'blind':
      return outcome.reason.detail
    case 'conflict':
    case 'forbidden':
    case 'refused':
      return outcome.message
  }
}

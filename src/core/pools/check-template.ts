import { at, listAt, textAt, toFields } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { SpecReader } from './spec-reader.ts'

/** Names in the pod that are ours. */
export const RUNNER = 'runner'
export const POLLER = 'poller'
export const OWN_VOLUMES = ['signalbox-token', 'signalbox-jit', 'signalbox-scripts'] as const

/** What a template must and must not have; the API server checks the rest when the first pod is made. */
export function checkTemplate(template: SpecReader): Fields {
  template.allow(['metadata', 'spec'])
  const spec = template.section('spec')
  const pod = toFields(template.value('spec'))
  if (template.value('spec') === undefined)
    template.refuse('spec', `is required; write a pod with a container named ${RUNNER}`)
  else checkContainers(spec, pod)
  if (pod['automountServiceAccountToken'] === true) {
    spec.refuse('automountServiceAccountToken', 'is true; a job would hold the token: leave it out')
  }
  const policy = pod['restartPolicy']
  if (policy !== undefined && policy !== 'Never') {
    spec.refuse('restartPolicy', `is ${JSON.stringify(policy)}; a runner runs one job: leave it out, or write Never`)
  }
  const own: readonly string[] = OWN_VOLUMES
  for (const [index, volume] of listAt(pod, 'volumes').entries()) {
    const name = textAt(volume, 'name') ?? ''
    if (own.includes(name)) spec.refuse(`volumes[${index}].name`, `is "${name}", which is ours: use another name`)
    if (projectsToken(volume)) spec.refuse(`volumes[${index}]`, 'projects a ServiceAccount token: a job could use it')
  }
  return { metadata: toFields(template.value('metadata')), spec: pod }
}

function checkContainers(spec: SpecReader, pod: Fields): void {
  const containers = listAt(pod, 'containers')
  const names = containers.map((container) => textAt(container, 'name'))
  if (!Array.isArray(at(pod, 'containers')) || !names.includes(RUNNER)) {
    spec.refuse('containers', `has no container named ${RUNNER}`)
  }
  const runner = containers[names.indexOf(RUNNER)]
  if (runner !== undefined) checkRunner(spec, runner, `containers[${names.indexOf(RUNNER)}]`)
  const all = [...names, ...listAt(pod, 'initContainers').map((container) => textAt(container, 'name'))]
  const seen = new Set<string>()
  for (const name of all) {
    if (name === null) spec.refuse('containers', 'has a container without a name')
    else if (name === POLLER)
      spec.refuse('initContainers', `has a container named ${POLLER}, which is ours: use another name`)
    else if (seen.has(name)) spec.refuse('containers', `has two containers named ${name}`)
    if (name !== null) seen.add(name)
  }
  for (const list of ['containers', 'initContainers']) checkMounts(spec, pod, list)
}

function checkRunner(spec: SpecReader, runner: unknown, place: string): void {
  if (textAt(runner, 'image') === null) spec.refuse(`${place}.image`, 'is required; write the image of the runner')
  const isEntrypoint = listAt(runner, 'command').length === 0
  if (isEntrypoint && listAt(runner, 'args').length > 0) {
    spec.refuse(`${place}.args`, 'is without a command: write the command too')
  }
}

/** A mount of the poller's token would give it to a job. */
function checkMounts(spec: SpecReader, pod: Fields, list: string): void {
  const own: readonly string[] = OWN_VOLUMES
  for (const [index, container] of listAt(pod, list).entries()) {
    for (const [place, mount] of listAt(container, 'volumeMounts').entries()) {
      const name = textAt(mount, 'name') ?? ''
      if (own.includes(name)) spec.refuse(`${list}[${index}].volumeMounts[${place}]`, `mounts ${name}, which is ours`)
    }
  }
}

function projectsToken(volume: unknown): boolean {
  return listAt(volume, 'projected', 'sources').some((source) => at(source, 'serviceAccountToken') !== undefined)
}

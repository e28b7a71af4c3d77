import { at, toFields } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { POLLER } from '#/core/pools/check-template.ts'
import { JIT_FOLDER, SCRIPTS_FOLDER, TOKEN_FOLDER } from './places.ts'
import type { PodSettings } from './settings.ts'

/** Of the runner's rights: who it is. Privileges and capabilities stay with the runner. */
const IDENTITY = [
  'runAsUser',
  'runAsGroup',
  'runAsNonRoot',
  'seccompProfile',
  'seLinuxOptions',
  'appArmorProfile',
] as const
/** The same amounts as the runner's cost nothing, since the two never run together, and keep the pod's class of service. */
const AMOUNTS = ['cpu', 'memory', 'ephemeral-storage'] as const

/**
 * Waits for a job with the pod's token, and ends before the runner starts: no job ever runs beside the token. It has the image
 * of the runner, so that the image is there when the job comes.
 */
export function pollerContainer(runner: Fields, { url, ca, scripts }: PodSettings): Fields {
  const resources = toFields(runner['resources'])
  const env = {
    SIGNALBOX_URL: url,
    ...(ca === null ? {} : { SIGNALBOX_CA: ca }),
    SIGNALBOX_RUN_JOB: withoutComments(scripts.runner),
    SIGNALBOX_VITALS: withoutComments(scripts.vitals),
  }
  return {
    name: POLLER,
    image: runner['image'],
    imagePullPolicy: runner['imagePullPolicy'],
    command: ['/bin/sh', '-c', literally(withoutComments(scripts.poller)), 'poller'],
    env: Object.entries(env).map(([name, value]) => ({ name, value: literally(value) })),
    resources: { requests: pick(resources['requests'], AMOUNTS), limits: pick(resources['limits'], AMOUNTS) },
    securityContext: {
      ...pick(runner['securityContext'], IDENTITY),
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    },
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [
      { name: 'signalbox-token', mountPath: TOKEN_FOLDER, readOnly: true },
      { name: 'signalbox-jit', mountPath: JIT_FOLDER },
      { name: 'signalbox-scripts', mountPath: SCRIPTS_FOLDER },
    ],
  }
}

/** Kubernetes replaces $(NAME) in commands and values, and $$ by $. */
function literally(text: string): string {
  return text.replaceAll('$', () => '$$')
}

/** Every pod carries the scripts, so they are short there. */
function withoutComments(script: string): string {
  return script.replaceAll(/^\s*#.*\n/gm, '')
}

function pick(fields: unknown, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, at(fields, name)]))
}

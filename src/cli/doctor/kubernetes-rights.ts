import type { Check, CheckResult, DoctorContext } from '#/cli/doctor/check.ts'
import { fail, ok, skip, warn } from '#/cli/doctor/check.ts'
import { findNamespaces } from '#/cli/doctor/namespaces.ts'
import { OBSERVE_RIGHTS, SECRET_RIGHTS } from '#/cli/doctor/observe-rights.ts'
import type { Right } from '#/cli/doctor/observe-rights.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'

export const podsRight = recordingRight('pods', 'Pods')
export const eventsRight = recordingRight('events', 'Events')

/** The rights to detect a death, one row each. */
function recordingRight(plural: string, title: string): Check {
  const rights = OBSERVE_RIGHTS.filter(({ resource, recording }) => recording === true && resource.plural === plural)
  return {
    id: `kubernetes-${plural}`,
    title,
    check: async (context) => {
      const asked = await askRights(context, rights)
      if (asked === null) return UNREACHED
      const result = judgeRights(asked)
      return result.kind === 'ok' ? ok('can be read') : result
    },
  }
}

export const kubernetesRights: Check = {
  id: 'kubernetes-rights',
  title: 'Cluster rights',
  check: async (context) => {
    const [asked, optional] = await Promise.all([askRights(context, OBSERVE_RIGHTS), askRights(context, SECRET_RIGHTS)])
    if (asked === null || optional === null) return UNREACHED
    return judgeRights(asked, optional, { isServer: context.config.kubernetes.source.kind === 'in-cluster' })
  },
}

export const UNREACHED = skip('cannot reach the cluster')

export async function askRights(context: DoctorContext, rights: readonly Right[]): Promise<readonly Asked[] | null> {
  const version = await context.clusterVersion()
  if (version.kind !== 'seen' || context.kubernetes === null) return null
  const namespaces = await findNamespaces(context)
  return Promise.all(questions(rights, namespaces).map((one) => ask(context.kubernetes, one, context.signal)))
}

type Question = { readonly right: Right; readonly verb: string; readonly namespace: string | undefined }
export type Asked = Question & { readonly answer: 'allowed' | 'denied' | 'unknown' }

function questions(rights: readonly Right[], namespaces: readonly (string | undefined)[]): readonly Question[] {
  return rights.flatMap((right) =>
    listPlaces(right, namespaces).flatMap((namespace) => right.verbs.map((verb) => ({ right, verb, namespace }))),
  )
}

function listPlaces(
  { resource, namespace }: Right,
  namespaces: readonly (string | undefined)[],
): readonly (string | undefined)[] {
  if (!resource.namespaced) return [undefined]
  return namespace === undefined ? namespaces : [namespace]
}

async function ask(kubernetes: KubernetesConnection | null, question: Question, signal: AbortSignal): Promise<Asked> {
  const { right, verb, namespace } = question
  const { resource, subresource } = right
  const verdict = await kubernetes?.canI(
    {
      verb,
      resource,
      ...(subresource === undefined ? {} : { subresource }),
      ...(namespace === undefined ? {} : { namespace }),
    },
    signal,
  )
  if (verdict?.kind !== 'seen') return { ...question, answer: 'unknown' }
  return { ...question, answer: verdict.value.allowed ? 'allowed' : 'denied' }
}

export function judgeRights(
  asked: readonly Asked[],
  optional: readonly Asked[] = [],
  {
    isServer = false,
  }: { /** Which records deaths, and is not asked about the fleet. */ readonly isServer?: boolean } = {},
): CheckResult {
  const lacking = asked.filter(({ answer }) => answer !== 'allowed')
  if (lacking.length === 0) return ok(`all ${asked.length} rights that are needed${without(optional)}`)
  const needed = lacking.filter(({ right }) => right.recording === true)
  const others = lacking.length - needed.length
  const unneeded =
    others === 0
      ? []
      : [`${others === 1 ? '1 right that only audits need is' : `${others} rights that only audits need are`} missing`]
  const detail = [...new Set(needed.map(describe)), ...unneeded].join(', ')
  const fix = `Grant with a Role or ClusterRole: ${[...new Set(lacking.map(rule))].join('; ')}.`
  if (needed.length === 0 && isServer) {
    return { kind: 'ok', detail: `all that recording deaths needs; ${detail} (-v lists them)`, fix }
  }
  const trouble = { cost: `${[...new Set(lacking.map(({ right }) => right.cost))].join('; ')}.`, fix }
  return lacking.some(({ right }) => right.vital === true) ? fail(detail, trouble) : warn(detail, trouble)
}

/** These are optional, so missing ones are not a problem. */
function without(optional: readonly Asked[]): string {
  const lacking = optional.filter(({ answer }) => answer !== 'allowed')
  if (lacking.length === 0) return ''
  return `; without Secrets: ${[...new Set(lacking.map(({ right }) => right.cost))].join('; ')}`
}

function describe({ right, verb, namespace, answer }: Asked): string {
  const where = namespace === undefined ? '' : ` in ${namespace}`
  return `${answer === 'denied' ? 'cannot' : 'unknown whether it can'} ${verb} ${resourceName(right)}${where}`
}

function rule({ right }: Asked): string {
  const group = right.resource.group === '' ? '' : ` (${right.resource.group})`
  return `${right.verbs.join(',')} on ${resourceName(right)}${group}`
}

function resourceName({ resource, subresource }: Right): string {
  return subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`
}

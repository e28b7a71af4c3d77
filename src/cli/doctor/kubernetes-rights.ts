import { type Check, type CheckResult, fail, ok, skip, warn } from '#/cli/doctor/check.ts'
import { namespacesOf } from '#/cli/doctor/namespaces.ts'
import { OBSERVE_RIGHTS, type Right } from '#/cli/doctor/observe-rights.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'

export const kubernetesRights: Check = {
  id: 'kubernetes-rights',
  title: 'Rights in the cluster',
  check: async (context) => {
    const version = await context.clusterVersion()
    if (version.kind !== 'seen' || context.kubernetes === null) return skip('the cluster cannot be reached')
    const namespaces = await namespacesOf(context)
    const asked = await Promise.all(
      questions(namespaces).map((question) => ask(context.kubernetes, question, context.signal)),
    )
    return judgeRights(asked)
  },
}

type Question = { readonly right: Right; readonly verb: string; readonly namespace: string | undefined }
export type Asked = Question & { readonly answer: 'allowed' | 'denied' | 'unknown' }

function questions(namespaces: readonly (string | undefined)[]): readonly Question[] {
  return OBSERVE_RIGHTS.flatMap((right) =>
    (right.resource.namespaced ? namespaces : [undefined]).flatMap((namespace) =>
      right.verbs.map((verb) => ({ right, verb, namespace })),
    ),
  )
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

export function judgeRights(asked: readonly Asked[]): CheckResult {
  const lacking = asked.filter(({ answer }) => answer !== 'allowed')
  if (lacking.length === 0) return ok(`all ${asked.length} rights that watching needs`)
  const detail = [...new Set(lacking.map(describe))].join(', ')
  const trouble = {
    cost: `${[...new Set(lacking.map(({ right }) => right.cost))].join('; ')}.`,
    mend: `Grant by a Role or ClusterRole: ${[...new Set(lacking.map(rule))].join('; ')}.`,
  }
  return lacking.some(({ right }) => right.vital === true) ? fail(detail, trouble) : warn(detail, trouble)
}

function describe({ right, verb, namespace, answer }: Asked): string {
  const where = namespace === undefined ? '' : ` in ${namespace}`
  return `${answer === 'denied' ? 'may not' : 'cannot tell whether it may'} ${verb} ${nameOf(right)}${where}`
}

function rule({ right }: Asked): string {
  const group = right.resource.group === '' ? '' : ` (${right.resource.group})`
  return `${right.verbs.join(',')} on ${nameOf(right)}${group}`
}

function nameOf({ resource, subresource }: Right): string {
  return subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`
}

import { none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { GetRequest, Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'

/** One object by a list of its name: whoever may list needs no right to get as well. */
export async function readNamed(
  kubernetes: Pick<Kubernetes, 'list'>,
  { name, ...request }: GetRequest,
  signal: AbortSignal,
): Promise<Observed<KubeObject>> {
  const list = await kubernetes.list({ ...request, fieldSelector: `metadata.name=${name}` }, signal)
  if (list.kind !== 'seen') return list
  // What does not know the selector answers with all of them.
  const own = list.value.items.find(({ metadata }) => metadata.name === name)
  return own === undefined ? none() : seen(own)
}

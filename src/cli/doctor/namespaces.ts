import type { DoctorContext } from '#/cli/doctor/check.ts'

/** The namespaces that are meant; undefined stands for all of them at once. */
export async function namespacesOf({
  config,
  kubernetes,
  signal,
}: DoctorContext): Promise<readonly (string | undefined)[]> {
  const { namespaces } = config.kubernetes
  switch (namespaces.kind) {
    case 'all':
      return [undefined]
    case 'named':
      return namespaces.names
    case 'context': {
      const access = await kubernetes?.access(signal)
      return [(access?.kind === 'seen' ? access.value.namespace : null) ?? 'default']
    }
  }
}

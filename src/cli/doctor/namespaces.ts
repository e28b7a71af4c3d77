import type { DoctorContext } from '#/cli/doctor/check.ts'

/** The configured namespaces; undefined for all of them. */
export async function findNamespaces({
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

import type { Answer, Ask } from './ask.ts'

/** An owner is an organisation or a person; only the answer shows which. */
export async function findInstallation(
  ask: (ask: Ask) => Promise<Answer>,
  owner: string,
  signal?: AbortSignal,
): Promise<Answer> {
  const find = (place: string): Promise<Answer> =>
    ask({ method: 'GET', path: [place, owner, 'installation'], as: { kind: 'app' }, again: 'harmless', signal })
  const organization = await find('orgs')
  return organization.kind === 'absent' ? find('users') : organization
}

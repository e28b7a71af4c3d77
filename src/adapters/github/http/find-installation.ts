import type { Answer, Ask } from './ask.ts'

/** An owner is a repository (`owner/name`), or an organisation or a person; of the last two only the answer shows which. */
export async function findInstallation(
  ask: (ask: Ask) => Promise<Answer>,
  owner: string,
  signal?: AbortSignal,
): Promise<Answer> {
  const find = (place: 'repos' | 'orgs' | 'users'): Promise<Answer> =>
    ask({
      method: 'GET',
      path: [place, ...owner.split('/'), 'installation'],
      as: { kind: 'app' },
      again: 'harmless',
      signal,
    })
  if (owner.includes('/')) return find('repos')
  const organization = await find('orgs')
  return organization.kind === 'absent' ? find('users') : organization
}

import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import type { DeclaredGitLab } from '#/core/fleet-file/fleet-file.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { blind, seen, seenList } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { tokenFindings } from './token-findings.ts'

const SECRET = { namespace: 'gitlab-runners', name: 'gitlab-runner-token' }

function secret(data: unknown, place = SECRET): Fields {
  return { metadata: place, type: 'Opaque', data }
}

function findings(
  gitlab: DeclaredGitLab | undefined,
  secrets: Observed<readonly Fields[]>,
  tokenOwner?: Observed<Fields>,
): readonly string[] {
  const fleet = {
    declared: { gitlab },
    snapshot: { lists: new Map([['secrets', secrets]]), gitlab: { tokenOwner } },
    rows: () => (secrets.kind === 'seen' ? secrets.value : []),
  } as unknown as Fleet
  return tokenFindings(fleet).map(({ class: name, subject, evidence }) => {
    return `${name} ${subject.kind} ${subject.namespace ?? '-'}/${subject.name}: ${evidence.join('; ')}`
  })
}

describe('the Secret with the runner token', () => {
  it.each<[string, Observed<readonly Fields[]>, readonly RegExp[]]>([
    [
      'is well where it stands',
      seenList([secret({ 'runner-token': 'Z2xydA==', 'runner-registration-token': '' })]),
      [],
    ],
    ['is well if its values were left out', seenList([secret(undefined)]), []],
    ['is well as a digest', seenList([secret({ 'runner-token': 'sha256:9a1c' })]), []],
    [
      'is missing from an empty list',
      seenList([]),
      [/^token-secret-missing Secret gitlab-runners\/gitlab-runner-token: .* does not exist$/],
    ],
    [
      'is missing if it is in another namespace, and the finding says so',
      seenList([secret({ a: 'b' }, { ...SECRET, namespace: 'default' })]),
      [/does not exist; a Secret of that name is in namespace default$/],
    ],
    ['is missing if it is empty', seenList([secret({ 'runner-token': '', other: '' })]), [/holds no value$/]],
    [
      'is missing where it is empty as a digest',
      seenList([secret({ 'runner-token': 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' })]),
      [/holds no value$/],
    ],
    [
      'is unknown where nobody asked',
      blind('not-asked', 'no'),
      [/^blind Source -\/kubernetes\/secrets: .* is unknown$/],
    ],
    ['is left to the source if it was forbidden', blind('forbidden', '403'), []],
  ])('%s', (_, secrets, wanted) => {
    expect(findings({ tokenSecret: SECRET }, secrets)).toEqual(
      wanted.map((line) => expect.stringMatching(line) as unknown),
    )
  })

  it('is ignored if none is declared', () => {
    expect(findings(undefined, blind('not-asked', 'no'))).toEqual([])
    expect(findings({}, seenList([]))).toEqual([])
  })
})

describe('the owner of the token', () => {
  it.each<[DeclaredGitLab, boolean]>([
    [{ autoCreatesTokens: true, role: 'maintainer' }, true],
    [{ autoCreatesTokens: true, role: 'developer' }, true],
    [{ autoCreatesTokens: true, role: 'owner' }, false],
    [{ autoCreatesTokens: true }, false],
    [{ autoCreatesTokens: false, role: 'maintainer' }, false],
    [{ role: 'maintainer' }, false],
  ])('must be owner of the group: %j', (gitlab, isReported) => {
    expect(findings(gitlab, seenList([])).length).toBe(isReported ? 1 : 0)
  })

  it.each<[string, Observed<Fields>, readonly RegExp[]]>([
    [
      'who GitLab says is maintainer',
      seen({ username: 'bot', access_level: 40 }),
      [/GitLab says that bot is maintainer/],
    ],
    ['who GitLab says is owner', seen({ username: 'bot', access_level: 50 }), []],
    ['who has a role without a name', seen({ access_level: 33 }), [/is access level 33 in/]],
    ['of whom GitLab says nothing', blind('forbidden', '403'), []],
  ])('%s counts by that, not by what is declared', (_title, owner, wanted) => {
    const gitlab: DeclaredGitLab = { autoCreatesTokens: true, role: 'owner', group: 'platform' }
    expect(findings(gitlab, seenList([]), owner)).toEqual(wanted.map((line) => expect.stringMatching(line) as unknown))
  })

  it('is named by the Secret, else by the group', () => {
    const gitlab: DeclaredGitLab = { autoCreatesTokens: true, role: 'maintainer', group: 'platform' }
    expect(findings(gitlab, seenList([]))).toEqual([
      'token-owner-role Credential -/platform: runner tokens are created automatically (fleet file), and the fleet file says that their owner is maintainer in group platform',
    ])
    expect(findings({ ...gitlab, tokenSecret: SECRET }, seenList([secret({ a: 'b' })]))).toEqual([
      expect.stringMatching(/^token-owner-role Credential gitlab-runners\/gitlab-runner-token: /),
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { neededPermissions } from './app-manifest.ts'
import type { AppWish } from './app-manifest.ts'
import { newAppUrl, siteAt } from './github-site.ts'

const READ = { metadata: 'read', actions: 'read', checks: 'read' } as const
const asked = (given: Partial<AppWish>) =>
  neededPermissions({ purpose: 'observe', scope: 'repository', reruns: false, checkRuns: false, ...given })

describe('the permissions of the App', () => {
  it.each<[Partial<AppWish>, object]>([
    [{}, { ...READ, administration: 'read' }],
    [{ scope: 'organization' }, { ...READ, organization_self_hosted_runners: 'read' }],
    [{ purpose: 'dispatch' }, { ...READ, administration: 'write' }],
    [
      { purpose: 'dispatch', scope: 'organization' },
      { ...READ, organization_self_hosted_runners: 'write' },
    ],
    [
      { purpose: 'dispatch', scope: 'both' },
      { ...READ, administration: 'write', organization_self_hosted_runners: 'write' },
    ],
    [{ reruns: true }, { ...READ, actions: 'write', administration: 'read' }],
    [{ checkRuns: true }, { ...READ, checks: 'write', administration: 'read' }],
  ])('for %j are %j', (wish, permissions) => {
    expect(asked(wish)).toEqual(permissions)
  })
})

describe('the site of a GitHub', () => {
  it.each([
    ['https://github.com', 'https://github.com', 'https://api.github.com'],
    ['https://api.github.com/', 'https://github.com', 'https://api.github.com'],
    ['https://ghe.example.com', 'https://ghe.example.com', 'https://ghe.example.com/api/v3'],
    ['https://ghe.example.com:8443/api/v3/', 'https://ghe.example.com:8443', 'https://ghe.example.com:8443/api/v3'],
    ['https://acme.ghe.com', 'https://acme.ghe.com', 'https://api.acme.ghe.com'],
    ['https://api.acme.ghe.com', 'https://acme.ghe.com', 'https://api.acme.ghe.com'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000', 'http://127.0.0.1:3000/api/v3'],
  ])('%s has pages at %s and the API at %s', (address, web, api) => {
    expect(siteAt(address)).toEqual({ web, api })
  })

  it.each([
    'github.com',
    'ftp://github.com',
    'http://ghe.example.com',
    'https://u:p@ghe.example.com',
    'https://ghe.example.com/other',
    'https://ghe.example.com/?x=1',
    'javascript:alert(1)',
  ])('is not at %s', (address) => {
    expect(siteAt(address)).toBeNull()
  })

  it('takes the form of the person or of the organisation', () => {
    const site = { web: 'https://github.com', api: 'https://api.github.com' }
    expect(newAppUrl(site, null, 'a b')).toBe('https://github.com/settings/apps/new?state=a%20b')
    expect(newAppUrl(site, 'acme', 's')).toBe('https://github.com/organizations/acme/settings/apps/new?state=s')
  })
})
